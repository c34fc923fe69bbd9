import { ask, type Headers } from '../../load/ask.ts';
import { Connection, requestBytes } from '../../load/connection.ts';
import { type Guests } from '../attack/plan.ts';
import { type Counts } from './counts.ts';

const LOGIN = 'mutation { login(input: {transport: BEARER}) { handle } }';
/** A service that limits the sessions of one network leaves the guest with fewer. */
const OPENING_MS = 5000;
const LOGINS_AT_ONCE = 20;
const PAUSE_MS = 100;

export interface GuestSession {
  readonly from: string;
  readonly headers: Headers;
}

/** Opens as many sessions as it can in a few seconds, in turn from each address. */
export async function openSessions(
  port: number,
  addresses: readonly string[],
  wanted: number,
): Promise<GuestSession[]> {
  const until = performance.now() + OPENING_MS;
  const sessions: GuestSession[] = [];
  let begun = 0;
  const openInTurn = async (): Promise<void> => {
    while (begun < wanted && performance.now() < until) {
      const from = addresses[begun % addresses.length] ?? '';
      begun += 1;
      const headers = await open(port, from);
      if (headers !== undefined) {
        sessions.push({ from, headers });
        continue;
      }
      begun -= 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: Math.min(wanted, LOGINS_AT_ONCE) }, openInTurn));
  return sessions;
}

/** Undefined where the service refuses. */
async function open(port: number, from: string): Promise<Headers | undefined> {
  const answer = await ask(port, '/graphql', { query: LOGIN }, {}, from).catch(() => undefined);
  const handle = /"handle":"([^"]+)"/.exec(answer?.body ?? '')?.[1];
  return handle === undefined ? undefined : { authorization: `Bearer ${handle}` };
}

export function guests(
  port: number,
  sessions: readonly GuestSession[],
  { requests, query, again }: Guests,
  counts: Counts,
): void {
  counts.add('sessions', sessions.length);
  for (const { from, headers } of sessions) {
    const bytes = requestBytes({ query }, headers);
    for (let n = 0; n < requests; n += 1) {
      const connection = new Connection(port, from);
      const send = (): void => {
        connection.send(bytes, (failure) => {
          counts.answer(failure);
          if (again !== undefined) setTimeout(send, again);
        });
      };
      send();
    }
  }
}
