import { expect } from '@jest/globals';
import fc from 'fast-check';
import { type PlatformClient, SessionError } from '../../src/client/index.js';
import { type NamedKey } from '../../src/config/key-list.js';
import { type SessionService } from '../../src/session/session.service.js';
import { beginSession, requestWith, serverKey, sessionService } from './session-bench.js';
import { type StoreBench } from './store-bench.js';
import { type UserPlatform } from './user-platform.js';

export const MODEL_LIFE = { idleSeconds: 3600, maxSeconds: 36_000 };
/** Neither end of life is a multiple that time could stop just before: the clock of Redis goes on by itself. */
const STEP_SECONDS = 1700;

interface ModelSession {
  readonly user: string;
  readonly handle: string;
  readonly endsAt: number;
  idleUntil: number;
  /** The number of the key that seals it. */
  key: number;
  loggedOut: boolean;
}

/** All that a user could know of the sessions, without any of the code that keeps them. */
export interface SessionModel {
  time: number;
  newestKey: number;
  readonly sessions: ModelSession[];
}

export function sessionModel(): SessionModel {
  return { time: 0, newestKey: 0, sessions: [] };
}

/** The real thing under the same commands. */
export interface SessionSystem {
  readonly bench: StoreBench;
  readonly platform: UserPlatform;
  readonly client: PlatformClient;
  keys: [NamedKey, ...NamedKey[]];
  service: SessionService;
}

export function sessionSystem(
  bench: StoreBench,
  platform: UserPlatform,
  client: PlatformClient,
): SessionSystem {
  const keys: [NamedKey] = [serverKey('0')];
  return { bench, platform, client, keys, service: sessionService(bench.store, client, keys) };
}

type Command = fc.AsyncCommand<SessionModel, SessionSystem>;

function isAlive(model: SessionModel, session: ModelSession): boolean {
  const isSealedByAKnownKey = session.key >= model.newestKey - 1;
  const { time } = model;
  return !session.loggedOut && isSealedByAKnownKey && time < session.idleUntil && time < session.endsAt;
}

function used(model: SessionModel, session: ModelSession): void {
  session.idleUntil = model.time + MODEL_LIFE.idleSeconds;
  session.key = model.newestKey;
}

function command(name: string, run: (model: SessionModel, system: SessionSystem) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, system) => {
      await run(model, system);
      for (const session of model.sessions.filter((other) => !isAlive(model, other))) {
        expect(await system.service.isOpen(requestWith(session.handle))).toBe(false);
      }
    },
    toString: () => name,
  };
}

/** A command on one of the sessions that were ever begun, dead or alive; without any there is nothing to do. */
function onSession(
  name: string,
  nth: number,
  act: (system: SessionSystem, session: ModelSession) => Promise<void>,
  then: (model: SessionModel, session: ModelSession) => void,
): Command {
  return command(`${name} ${nth}`, async (model, system) => {
    const session = model.sessions[nth % Math.max(1, model.sessions.length)];
    if (session === undefined) return;
    if (isAlive(model, session)) {
      await act(system, session);
      then(model, session);
    } else await expect(act(system, session)).rejects.toThrow(SessionError);
  });
}

async function readOwn({ service }: SessionSystem, { handle, user }: ModelSession): Promise<void> {
  const read = service.read(requestWith(handle), 'getUserInfo', (session) => session.getUserInfo());
  expect(await read).toMatchObject({ id: user });
}

async function reopen(system: SessionSystem): Promise<void> {
  system.service = sessionService(system.bench.store, system.client, system.keys);
  return Promise.resolve();
}

const login = (user: string): Command =>
  command(`login ${user}`, async (model, { service, client }) => {
    const handle = await beginSession(service, client, user);
    const { time, newestKey: key } = model;
    const { idleSeconds, maxSeconds } = MODEL_LIFE;
    model.sessions.push({
      user,
      handle,
      endsAt: time + maxSeconds,
      idleUntil: time + idleSeconds,
      key,
      loggedOut: false,
    });
  });

const read = (nth: number): Command => onSession('read', nth, readOwn, used);

const extend = (nth: number): Command =>
  onSession(
    'extend',
    nth,
    async (system, session) => {
      await system.service.extend(requestWith(session.handle));
      await readOwn(system, session);
    },
    used,
  );

const logout = (nth: number): Command =>
  onSession(
    'logout',
    nth,
    async ({ service, platform }, { handle }) => {
      const before = platform.openSessions();
      await service.end(requestWith(handle));
      expect(platform.openSessions()).toBe(before - 1);
    },
    (_model, session) => (session.loggedOut = true),
  );

const expire = (): Command =>
  command('expire', async (model, { bench }) => {
    await bench.advance(STEP_SECONDS * 1000);
    model.time += STEP_SECONDS;
  });

const crash = (): Command =>
  command('crash', async (_model, system) => {
    await system.bench.crash();
    await reopen(system);
  });

const restart = (): Command =>
  command('restart', async (_model, system) => {
    await system.bench.restart();
    await reopen(system);
  });

/** A new key in front; only the one before it is still known. */
const rotate = (): Command =>
  command('rotate', async (model, system) => {
    model.newestKey += 1;
    system.keys = [serverKey(String(model.newestKey)), system.keys[0]];
    await reopen(system);
  });

/** Any sequence of what can happen to sessions. */
export function sessionCommands(size: number): fc.Arbitrary<Iterable<Command>> {
  const nth = fc.nat({ max: 9 });
  return fc.commands(
    [
      fc.constantFrom('alice', 'bob', 'carol').map(login),
      nth.map(read),
      nth.map(read),
      nth.map(extend),
      nth.map(logout),
      fc.constant(null).map(expire),
      fc.constant(null).map(crash),
      fc.constant(null).map(restart),
      fc.constant(null).map(rotate),
    ],
    { maxCommands: size, size: 'max' },
  );
}
