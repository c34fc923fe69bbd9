import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process as it is now. */
export function processEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}

/** There is a `.env` that cannot be read. The message is one line for the operator. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';

  constructor(code = 'unknown error') {
    super(`.env must be a readable file (${code})`);
  }
}

/**
 * The environment of this process plus what `.env` in the working directory adds to it. Nothing is written back.
 *
 * @throws EnvFileError
 */
export function readEnvironment(): Environment {
  return { ...readEnvFile('.env'), ...processEnvironment() };
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new EnvFileError(code);
  }
}

/**
 * Runs `make` while the variables are in the environment of the process, for a library that reads them on its own.
 * They are gone when it returns.
 */
export function withVariables<T>(variables: Environment, make: () => T): T {
  const { env } = process;
  const before = new Map(Object.keys(variables).map((name) => [name, env[name]]));
  Object.assign(env, variables);
  try {
    return make();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(env, name);
      else env[name] = value;
    }
  }
}
