/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** The environment of this process as it is now. */
export declare function processEnvironment(): NodeJS.ProcessEnv;
/** There is a `.env` that cannot be read. The message is one line for the operator. */
export declare class EnvFileError extends Error {
  readonly name = 'EnvFileError';
  constructor(code?: string);
}
/**
 * The environment of this process plus what `.env` in the working directory adds to it. Nothing is written back.
 *
 * @throws EnvFileError
 */
export declare function readEnvironment(): Environment;
/**
 * Runs `make` while the variables are in the environment of the process, for a library that reads them on its own.
 * They are gone when it returns.
 */
export declare function withVariables<T>(variables: Environment, make: () => T): T;
