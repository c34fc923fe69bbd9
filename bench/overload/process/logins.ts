import { Connection, requestBytes } from '../../load/connection.ts';
import { type Logins } from '../attack/plan.ts';
import { type Counts } from './counts.ts';

/** A refusal comes quickly: without a pause the refused would send nothing but logins. */
const PAUSE_MS = 100;

export function logins(
  port: number,
  addresses: readonly string[],
  { inFlight, areWrong }: Logins,
  counts: Counts,
): void {
  let attempts = 0;
  for (let n = 0; n < inFlight; n += 1) {
    const connection = new Connection(port, addresses[n % addresses.length]);
    const next = (): void => {
      attempts += 1;
      connection.send(loginBytes(areWrong ? `guess ${attempts}` : undefined), (failure) => {
        counts.answer(failure);
        setTimeout(next, PAUSE_MS);
      });
    };
    next();
  }
}

/** Guesses go to accounts of their own: what slows them down is their network. */
function loginBytes(username: string | undefined): Buffer {
  const credentials = username === undefined ? '' : `username: "${username}", password: "wrong", `;
  return requestBytes(
    { query: `mutation { login(input: {${credentials}transport: BEARER}) { handle } }` },
    {},
  );
}
