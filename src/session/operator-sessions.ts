import { publicSessionId } from './handle.js';
import { parseAbout } from './open-sessions.js';
import { type ListedRecord, type SessionStore } from './store/session-store.js';

/** Which sessions are meant: all, those of one account, or one. */
export interface SessionFilter {
  /** The hashes under which an account may be stored. */
  readonly accounts?: readonly string[] | undefined;
  /** A public id, as the audit log has it. */
  readonly id?: string | undefined;
}

/** A session as an operator sees it. Times are in ISO 8601; what a record of an earlier version lacks is null. */
export interface OperatorSession {
  readonly id: string;
  readonly startedAt: string | null;
  /** Up to a tenth of the idle time too early. */
  readonly lastUsedAt: string;
  /** If it is not used before then. */
  readonly endsAt: string;
  readonly transport: 'cookie' | 'bearer' | null;
  readonly network: string | null;
}

/**
 * The live sessions, in batches.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export async function* listSessions(
  store: SessionStore,
  filter: SessionFilter,
): AsyncGenerator<readonly OperatorSession[]> {
  for await (const records of found(store, filter)) yield records.map(operatorSession);
}

/**
 * Ends sessions. Instances that used them log them out on the platform.
 *
 * @returns how many there were
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export async function endSessions(store: SessionStore, filter: SessionFilter): Promise<number> {
  let ended = 0;
  for await (const records of found(store, filter)) {
    const ends = await Promise.all(records.map(({ key }) => store.end(key, 'operator')));
    ended += ends.filter(Boolean).length;
  }
  return ended;
}

async function* found(
  store: SessionStore,
  { accounts, id }: SessionFilter,
): AsyncGenerator<readonly ListedRecord[]> {
  const matches = ({ key }: ListedRecord): boolean => id === undefined || publicSessionId(key) === id;
  if (accounts === undefined) {
    for await (const records of store.list()) yield records.filter(matches);
    return;
  }
  for (const account of accounts) {
    const records = await Promise.all((await store.ofAccount(account)).map((key) => store.summary(key)));
    yield records.filter((record) => record !== undefined).filter(matches);
  }
}

function operatorSession(record: ListedRecord): OperatorSession {
  const about = parseAbout(record.sealed);
  const started = about?.startedAt;
  return {
    id: publicSessionId(record.key),
    startedAt: started === undefined ? null : new Date(started).toISOString(),
    lastUsedAt: new Date(Math.max(record.lastUsedAt, started ?? 0)).toISOString(),
    endsAt: new Date(record.idleExpiresAt).toISOString(),
    transport: about?.transport ?? null,
    network: about?.network ?? null,
  };
}
