import { report } from './finding.js';
import { readInstallation } from './installation.js';
import { examine } from './examine.js';
import { readPassword } from './read-password.js';

export interface DoctorOptions {
  readonly json?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly username?: string | undefined;
}

/** Looks at everything, and prints what is right, what is wrong and what fixes it. */
export async function runDoctor({ json, profile, username }: DoctorOptions): Promise<number> {
  if (profile !== undefined && username !== undefined) {
    process.stderr.write('portico: give --profile or --username, not both\n');
    return 2;
  }
  const installation = await readInstallation();
  const login =
    profile !== undefined
      ? { profile }
      : username !== undefined
        ? { username, password: await readPassword(`Password of ${username}: `) }
        : undefined;
  return report(await examine(installation, login), json);
}
