import { readFileSync } from 'node:fs';
import { type Environment } from './environment.js';
import { secretSettings } from './setting.js';

/** The environment with the content of secret files, and what is wrong with those files. */
export interface WithSecrets {
  readonly environment: Environment;
  /** The secret settings that came from a file. */
  readonly fromFiles: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/**
 * Takes each secret setting that is given as `NAME_FILE` from that file, as container platforms mount them. White space
 * around the content, such as a final line break, does not count.
 */
export function withSecretFiles(given: Environment): WithSecrets {
  const environment = { ...given };
  const fromFiles = new Set<string>();
  const problems: string[] = [];
  for (const name of secretSettings()) {
    const path = given[`${name}_FILE`];
    if (path === undefined || path === '') continue;
    const content = readSecret(path);
    if (given[name] !== undefined && given[name] !== '') {
      problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
    } else if (content === undefined) {
      problems.push(`${name}_FILE must be the path of a readable file that is not empty`);
    }
    // A problem with the file is reported once, and not again as a missing required setting.
    fromFiles.add(name);
    environment[name] ??= '';
    if (content !== undefined) environment[name] = content;
  }
  return { environment, fromFiles, problems };
}

function readSecret(path: string): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim();
    return content === '' ? undefined : content;
  } catch {
    return undefined;
  }
}
