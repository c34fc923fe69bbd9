import { type PlatformClient } from 'portico/client';
import { type SealedSessions } from '../../../src/session/sealed-sessions.service.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { percentile } from './steady-load.js';

const READS = 5000;

/** What sessions cost in a store. */
export interface SessionCost {
  readonly sessions: number;
  readonly bytesEach: number;
  readonly createMicroseconds: number;
  /** Reading, opening and restoring one of them. */
  readonly readP50Ms: number;
  readonly readP99Ms: number;
}

/**
 * Begins so many sessions, reads some of them, and measures.
 *
 * @param size bytes that the store takes now.
 */
export async function sessionCost(
  sealed: SealedSessions,
  client: PlatformClient,
  sessions: number,
  size: () => Promise<number>,
): Promise<SessionCost> {
  const session = client.openSession();
  await session.login({ username: 'demo', password: 'demo' });
  const handles: string[] = [];
  const begin = async (): Promise<{ handle: string }> => {
    let open: { handle: string } | undefined;
    // A busy machine may keep the store from answering in time.
    await eventually(async () => (open = await sealed.create(session, { transport: 'cookie' })));
    return open ?? { handle: '' };
  };
  const before = await size();
  const began = performance.now();
  while (handles.length < sessions) {
    const batch = Array.from({ length: 10 }, () => begin());
    handles.push(...(await Promise.all(batch)).map(({ handle }) => handle));
  }
  const createMicroseconds = ((performance.now() - began) * 1000) / sessions;
  const bytesEach = ((await size()) - before) / sessions;

  const took: number[] = [];
  for (let n = 0; n < READS; n += 1) {
    const handle = handles[Math.floor(Math.random() * handles.length)] ?? '';
    const start = performance.now();
    await sealed.load({ handle, transport: 'cookie' });
    took.push(performance.now() - start);
  }
  return {
    sessions,
    bytesEach: Math.round(bytesEach),
    createMicroseconds: Math.round(createMicroseconds),
    readP50Ms: round(percentile(took, 50)),
    readP99Ms: round(percentile(took, 99)),
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
