import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process as it is now. */
export function processEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/** The environment of this process plus what `.env` in the working directory adds to it. Nothing is written back. */
export function readEnvironment(): Environment {
  return { ...readEnvFile('.env'), ...processEnvironment() };
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
