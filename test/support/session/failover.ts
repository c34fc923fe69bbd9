import { setTimeout as pause } from 'node:timers/promises';
import { type RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';

const SESSIONS = 200;
/** Between two questions for all of them: asked more often, they would take most of a core. */
const ROUND_MS = 50;
/** From the moment when another node has the place of the dead one to the last error, on a machine that is busy; docs/operations.md has figures. */
export const MOST_OUTAGE_MS = 30_000;
/** Sentinel does nothing for 30 s after it has been held up for two, and tries a failed election again after six. */
export const PATIENCE_MS = 120_000;

/** What callers saw while a node died. */
export interface Outage {
  readonly asked: number;
  readonly errors: number;
  /** After another node had the place of the dead one. */
  readonly lastErrorAfterMs: number;
  readonly lastError: string;
  readonly mixed: number;
  /** Sessions that were gone, and sessions that had ended and were there again. */
  readonly lost: string[];
  readonly revived: string[];
}

/**
 * Begins sessions, ends some of them, waits until the replicas have all of that, kills a node, and asks for every
 * session until they answer.
 *
 * @param isReplaced whether another node has the place of the dead one. Errors before that are not ours.
 */
export async function failover(
  store: RedisSessionStore,
  replicated: () => Promise<void>,
  kill: () => Promise<void>,
  isReplaced: () => Promise<boolean>,
): Promise<Outage> {
  const keys = Array.from({ length: SESSIONS }, (_, n) => `key-${n}`);
  const ended = keys.filter((_key, n) => n % 4 === 0);
  for (const key of keys) await eventually(() => store.create(key, `sealed ${key}`));
  for (const key of ended) await eventually(() => store.remove(key).then(() => true));
  await replicated();

  const began = performance.now();
  let [asked, errors, lastErrorAfterMs, mixed, good] = [0, 0, 0, 0, 0];
  let lastError = '';
  const gone = new Set<string>();
  const there = new Set<string>();
  let replacedAt: number | undefined;
  const killed = kill();
  const replaced = eventually(isReplaced, PATIENCE_MS).then(() => {
    replacedAt = performance.now();
  });
  // All of them, again and again, until for a second nothing has failed.
  while (good < 1000 / ROUND_MS) {
    let failed = 0;
    await Promise.all(
      keys.map(async (key) => {
        asked += 1;
        try {
          const found = await store.read(key);
          if (found === undefined) gone.add(key);
          else there.add(key);
          if (found !== undefined && found.sealed !== `sealed ${key}`) mixed += 1;
        } catch (error) {
          errors += 1;
          // A late answer is not the outage: on a busy machine there are some at any time.
          if ((error as Error).message.endsWith('in time')) return;
          lastError = (error as Error).message;
          failed += 1;
        }
      }),
    );
    if (failed > 0) lastErrorAfterMs = replacedAt === undefined ? 0 : performance.now() - replacedAt;
    good = failed > 0 || replacedAt === undefined ? 0 : good + 1;
    if (performance.now() - began > PATIENCE_MS) break;
    await pause(ROUND_MS);
  }
  await Promise.all([killed, replaced]);
  await eventually(() => Promise.all(keys.map((key) => store.read(key))));
  const isEnded = new Set(ended);
  return {
    asked,
    errors,
    lastErrorAfterMs: Math.round(lastErrorAfterMs),
    lastError,
    mixed,
    lost: [...gone].filter((key) => !isEnded.has(key)),
    revived: [...there].filter((key) => isEnded.has(key)),
  };
}

/** What an outage may not have done. */
export const AS_BEFORE = { mixed: 0, lost: [], revived: [] };
