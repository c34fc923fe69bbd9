import { serve } from './serve.js';

/** Runs the service until it receives a signal. */
export async function start(): Promise<number> {
  await serve();
  return 0;
}
