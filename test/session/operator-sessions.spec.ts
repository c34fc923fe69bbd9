import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicSessionId } from '../../src/session/handle.js';
import {
  endSessions,
  listSessions,
  type OperatorSession,
  type SessionFilter,
} from '../../src/session/operator-sessions.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
import { manualClock, type ManualClock } from '../../packages/portico/test/support/manual-clock.js';
import { changedStore } from '../support/session/changed-store.js';
import { tempFolder } from '../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const START = Date.UTC(2026, 0, 5, 9);

/** A sealed record with what is written beside it for operators. */
const record = (about: string): string => `2.mark.body.${about}`;
const beganAt = (at: number): string => at.toString(36);

describe('the sessions, as an operator sees them', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let clock: ManualClock;
  let store: EmbeddedSessionStore;
  beforeEach(async () => {
    folder = await tempFolder();
    clock = manualClock(START);
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, LIFE, clock.now);
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  const list = async (filter: SessionFilter = {}, of: SessionStore = store): Promise<OperatorSession[]> =>
    (await Array.fromAsync(listSessions(of, filter))).flat();
  const ids = async (filter: SessionFilter, of: SessionStore = store): Promise<string[]> =>
    (await list(filter, of)).map(({ id }) => id).sort();
  const idsOf = (...keys: string[]): string[] => keys.map(publicSessionId).sort();

  it('have their id, their times, their transport and their network', async () => {
    await store.create('key', record(`b~${beganAt(START)}~192_0_2_7`));
    clock.advance(20_000);
    await store.read('key');
    clock.advance(10_000);
    expect(await list()).toEqual([
      {
        id: publicSessionId('key'),
        startedAt: '2026-01-05T09:00:00.000Z',
        lastUsedAt: '2026-01-05T09:00:20.000Z',
        endsAt: '2026-01-05T09:01:20.000Z',
        transport: 'bearer',
        network: '192.0.2.7',
      },
    ]);
  });

  it.each([
    ['a cookie', `c~${beganAt(START)}~2001:db8:0:1`, 'cookie', '2001:db8:0:1', '2026-01-05T09:00:00.000Z'],
    ['no network', `b~${beganAt(0)}~`, 'bearer', '', '1970-01-01T00:00:00.000Z'],
    ['the longest network', `b~0~${'a'.repeat(64)}`, 'bearer', 'a'.repeat(64), '1970-01-01T00:00:00.000Z'],
    ['the latest date', 'b~zzzzzzzzzz~1', 'bearer', '1', new Date(36 ** 10 - 1).toISOString()],
  ])('are told from what is written beside them: %s', async (_what, about, transport, network, startedAt) => {
    await store.create('key', record(about));
    expect(await list()).toMatchObject([{ transport, network, startedAt }]);
  });

  it.each([
    ['an earlier version wrote it', '2.mark.body'],
    ['it begins with something else', record(`x~${beganAt(START)}~1`)],
    ['something is before it', record(`xb~${beganAt(START)}~1`)],
    ['something is after it', record(`b~${beganAt(START)}~1-`)],
    ['it has no time', record('b~~1')],
    ['its time is later than any date', record('b~zzzzzzzzzzz~1')],
    ['its time is no number', record('b~Z~1')],
    ['its network is too long', record(`b~0~${'a'.repeat(65)}`)],
  ])('lack what cannot be read beside them: %s', async (_why, sealed) => {
    await store.create('key', sealed);
    expect(await list()).toMatchObject([
      { startedAt: null, transport: null, network: null, lastUsedAt: '2026-01-05T09:00:00.000Z' },
    ]);
  });

  it('were last used when they began, although the clock of the store says that it was earlier', async () => {
    await store.create('key', record(`b~${beganAt(START + 5000)}~1`));
    expect(await list()).toMatchObject([{ lastUsedAt: '2026-01-05T09:00:05.000Z' }]);
  });

  describe('of two accounts and a guest', () => {
    beforeEach(async () => {
      for (const key of ['one', 'two']) await store.create(key, 'sealed', 'alice');
      await store.create('three', 'sealed', 'bob');
      await store.create('four', 'sealed');
    });

    it.each<[string, SessionFilter, string[]]>([
      ['all', {}, ['one', 'two', 'three', 'four']],
      ['those of an account', { accounts: ['alice'] }, ['one', 'two']],
      ['those of each name of an account', { accounts: ['bob', 'nobody', 'alice'] }, ['one', 'two', 'three']],
      ['none of an account without any', { accounts: ['nobody'] }, []],
      ['one by its id', { id: publicSessionId('four') }, ['four']],
      ['one of an account by its id', { accounts: ['alice'], id: publicSessionId('two') }, ['two']],
      ['none of an account by the id of another', { accounts: ['alice'], id: publicSessionId('three') }, []],
      ['none by its key, which is no id', { id: 'one' }, []],
    ])('are listed and ended: %s', async (_which, filter, keys) => {
      expect(await ids(filter)).toEqual(idsOf(...keys));
      const since = store.now();
      expect(await endSessions(store, filter)).toBe(keys.length);
      const endings = await store.endings(since);
      expect(endings.map(({ key, cause }) => `${key} ${cause}`).sort()).toEqual(
        keys.map((key) => `${key} operator`).sort(),
      );
      const all = ['one', 'two', 'three', 'four'];
      expect(await ids({})).toEqual(idsOf(...all.filter((key) => !keys.includes(key))));
      expect(await endSessions(store, filter)).toBe(0);
    });

    it('are not listed once they have ended, although the account still has their keys', async () => {
      const stale = changedStore(store, { ofAccount: () => Promise.resolve(['one', 'gone', 'two']) });
      expect(await ids({ accounts: ['alice'] }, stale)).toEqual(idsOf('one', 'two'));
      expect(await endSessions(stale, { accounts: ['alice'] })).toBe(2);
    });

    it('are not counted as ended when another has ended them meanwhile', async () => {
      const late = changedStore(store, {
        end: async (key, cause) => {
          if (key === 'one') await store.end(key, 'everywhere');
          return store.end(key, cause);
        },
      });
      expect(await endSessions(late, {})).toBe(3);
    });
  });
});
