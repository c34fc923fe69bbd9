/** The environment of this process as it is now. */
export function environment(): NodeJS.ProcessEnv {
  return process.env;
}
