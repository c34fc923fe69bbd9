import { loadEnvFile } from 'node:process';
import { environment } from './environment.js';

/** The environment of this process, with what a `.env` file in the working directory adds to it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  try {
    loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return environment();
}
