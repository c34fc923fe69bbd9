import { expect } from 'vitest';
import fc from 'fast-check';
import { type PlatformClient, SessionError } from 'portico/client';
import { type NamedKey } from '../../../src/config/key-list.js';
import { type Relogin } from '../../../src/session/session-runner.service.js';
import { type SessionService } from '../../../src/session/session.service.js';
import { beginSession, requestWith, serverKey, sessionService } from './session-bench.js';
import { type StoreBench } from './store-bench.js';
import { type UserPlatform } from '../embedded-platform/user-platform.js';

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
  hasEnded: boolean;
  /** Whether the platform still knows it. */
  onPlatform: boolean;
  /** Opened by a credential profile, so that it logs itself in again. */
  readonly isService: boolean;
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
  /** Sessions of the platform that others had begun before. */
  sessionsBefore: number;
  keys: [NamedKey, ...NamedKey[]];
  service: SessionService;
}

export function sessionSystem(
  bench: StoreBench,
  platform: UserPlatform,
  client: PlatformClient,
): SessionSystem {
  const keys: [NamedKey] = [serverKey('0')];
  const sessionsBefore = platform.openSessions();
  const service = sessionService(bench.store, client, keys, BY_PROFILE);
  return { bench, platform, client, sessionsBefore, keys, service };
}

/** The profile of a user has the name of the user. */
const BY_PROFILE: Relogin = {
  logIn: (session, profile) => session.login({ username: profile, password: 'password' }),
};

type Command = fc.AsyncCommand<SessionModel, SessionSystem>;

function isAlive(model: SessionModel, session: ModelSession): boolean {
  const isSealedByAKnownKey = session.key >= model.newestKey - 1;
  const { time } = model;
  return !session.hasEnded && isSealedByAKnownKey && time < session.idleUntil && time < session.endsAt;
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
      // No more are alive than somebody may still use, or the platform has to end by itself.
      const known = model.sessions.filter(({ onPlatform }) => onPlatform).length;
      expect(system.platform.openSessions() - system.sessionsBefore).toBe(known);
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
  succeeds: (session: ModelSession) => boolean = () => true,
): Command {
  return command(`${name} ${nth}`, async (model, system) => {
    const session = model.sessions[nth % Math.max(1, model.sessions.length)];
    if (session === undefined) return;
    if (isAlive(model, session) && succeeds(session)) {
      await act(system, session);
      then(model, session);
    } else {
      await expect(act(system, session)).rejects.toThrow(SessionError);
      session.hasEnded = true;
    }
  });
}

async function readOwn({ service }: SessionSystem, { handle, user }: ModelSession): Promise<void> {
  const read = service.read(requestWith(handle), 'getUserInfo', (session) => session.getUserInfo());
  expect(await read).toMatchObject({ id: user });
}

async function reopen(system: SessionSystem): Promise<void> {
  system.service = sessionService(system.bench.store, system.client, system.keys, BY_PROFILE);
  return Promise.resolve();
}

const login = (user: string, isService: boolean): Command =>
  command(`login ${user}${isService ? ' by profile' : ''}`, async (model, { service, client }) => {
    const handle = await beginSession(service, client, user, isService ? user : undefined);
    const { time, newestKey: key } = model;
    const { idleSeconds, maxSeconds } = MODEL_LIFE;
    model.sessions.push({
      user,
      handle,
      endsAt: time + maxSeconds,
      idleUntil: time + idleSeconds,
      key,
      hasEnded: false,
      onPlatform: true,
      isService,
    });
  });

/** What the platform has to answer. A user's session that it does not know ends; a service session is renewed. */
function onPlatform(name: string, nth: number, ask: typeof readOwn): Command {
  return onSession(
    name,
    nth,
    ask,
    (model, session) => {
      session.onPlatform = true;
      used(model, session);
    },
    (session) => session.onPlatform || session.isService,
  );
}

const read = (nth: number): Command => onPlatform('read', nth, readOwn);

const extend = (nth: number): Command =>
  onPlatform('extend', nth, async (system, session) => {
    await system.service.extend(requestWith(session.handle));
    await readOwn(system, session);
  });

const logout = (nth: number): Command =>
  onSession(
    'logout',
    nth,
    async ({ service }, { handle }) => {
      await service.end(requestWith(handle));
    },
    (_model, session) => {
      session.hasEnded = true;
      session.onPlatform = false;
    },
  );

/** The platform forgets all sessions, those of other runs as well. */
const lapse = (): Command =>
  command('lapse', (model, system) => {
    system.platform.endSessions();
    system.sessionsBefore = 0;
    for (const session of model.sessions) session.onPlatform = false;
    return Promise.resolve();
  });

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
      fc.tuple(fc.constantFrom('alice', 'bob', 'carol'), fc.boolean()).map((who) => login(...who)),
      nth.map(read),
      nth.map(read),
      nth.map(extend),
      nth.map(logout),
      fc.constant(null).map(lapse),
      fc.constant(null).map(expire),
      fc.constant(null).map(crash),
      fc.constant(null).map(restart),
      fc.constant(null).map(rotate),
    ],
    { maxCommands: size, size: 'max' },
  );
}
