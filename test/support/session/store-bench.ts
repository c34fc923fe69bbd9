import { cp } from 'node:fs/promises';
import { EmbeddedSessionStore } from '../../../src/session/store/embedded-session-store.js';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { type SessionLife, type SessionStore } from '../../../src/session/store/session-store.js';
import { ageRedis } from './age-redis.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { manualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { type RunningRedis } from './start-redis.js';
import { tempFolder } from '../temp-folder.js';

/** A session store that a test may age, close and crash. */
export interface StoreBench {
  /** The store as it is now: another one after `crash` and `restart`. */
  readonly store: SessionStore;
  advance(milliseconds: number): Promise<void>;
  /** What was not on the disk is lost, and the store is opened again. */
  crash(): Promise<void>;
  /** The store is closed as it should be, and opened again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function embeddedBench(life: SessionLife): Promise<StoreBench> {
  const folder = await tempFolder();
  const clock = manualClock();
  let opened = 0;
  const path = (): string => `${folder.path}/${opened}/sessions.db`;
  const open = (): EmbeddedSessionStore => new EmbeddedSessionStore(path(), life, clock.now);
  let store = open();
  return {
    get store() {
      return store;
    },
    advance: (milliseconds) => {
      clock.advance(milliseconds);
      return Promise.resolve();
    },
    crash: async () => {
      // The files as they are under a store that is open are what a crash leaves behind.
      const left = `${folder.path}/${opened}`;
      opened += 1;
      await cp(left, `${folder.path}/${opened}`, { recursive: true });
      const dead = store;
      store = open();
      await dead.close();
    },
    restart: async () => {
      await store.close();
      store = open();
    },
    close: async () => {
      await store.close();
      await folder.remove();
    },
  };
}

/** @param redis flushed first, and left running. */
export async function redisBench(redis: RunningRedis, life: SessionLife): Promise<StoreBench> {
  await redis.admin.flushall();
  const open = (): Promise<RedisSessionStore> => RedisSessionStore.open(redis.access, life);
  let store = await open();
  return {
    get store() {
      return store;
    },
    advance: (milliseconds) => ageRedis(redis.admin, milliseconds),
    crash: async () => {
      await redis.kill();
      await redis.restart();
      await eventually(() => store.ping());
    },
    restart: async () => {
      await store.close();
      store = await open();
    },
    close: () => store.close(),
  };
}
