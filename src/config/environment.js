import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
/** The environment of this process as it is now. */
export function processEnvironment() {
  return process.env;
}
/** There is a `.env` that cannot be read. The message is one line for the operator. */
export class EnvFileError extends Error {
  name = 'EnvFileError';
  constructor(code = 'unknown error') {
    super(`.env must be a readable file (${code})`);
  }
}
/**
 * The environment of this process plus what `.env` in the working directory adds to it. Nothing is written back.
 *
 * @throws EnvFileError
 */
export function readEnvironment() {
  return { ...readEnvFile('.env'), ...processEnvironment() };
}
function readEnvFile(path) {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error;
    if (code === 'ENOENT') return {};
    throw new EnvFileError(code);
  }
}
/**
 * Runs `make` while the variables are in the environment of the process, for a library that reads them on its own.
 * They are gone when it returns.
 */
export function withVariables(variables, make) {
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
//# sourceMappingURL=environment.js.map
