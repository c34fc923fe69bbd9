import { randomBytes } from 'node:crypto';
import { LoginFailedError, type PlatformClient } from 'portico/client';
import { type NamedKey } from '../../../src/config/key-list.js';
import { type HandleTransport, KnownSessions } from '../../../src/session/handle.js';
import { type RequestContext } from '../../../src/session/request-context.js';
import { Observation } from '../../../src/logging/observation.js';
import { RecordSeal, RefusedRecords } from '../../../src/session/record-seal.js';
import { PlatformLogout } from '../../../src/session/platform-logout.service.js';
import { SealedSessions } from '../../../src/session/sealed-sessions.service.js';
import { type Relogin, SessionRunner } from '../../../src/session/session-runner.service.js';
import { SessionService } from '../../../src/session/session.service.js';
import { type SessionStore } from '../../../src/session/store/session-store.js';

/** A server key of a name, new each time. */
export function serverKey(kid: string): NamedKey {
  return { kid, key: randomBytes(32) };
}

/** Where there are no credential profiles. */
const NO_PROFILES: Relogin = {
  logIn: () => Promise.reject(new LoginFailedError('There is no such profile')),
};

/** The session service of one instance, over a store and a platform, without the rest of the service. */
export function sessionService(
  store: SessionStore,
  client: PlatformClient,
  keys: readonly [NamedKey, ...NamedKey[]],
  relogin: Relogin = NO_PROFILES,
  refused = new RefusedRecords(),
  observation = new Observation(),
  known = new KnownSessions(),
): SessionService {
  const sealed = sealedSessions(store, client, keys, refused, known);
  const platformLogout = new PlatformLogout(observation);
  const runner = new SessionRunner(store, sealed, client, relogin, observation, platformLogout);
  return new SessionService(store, sealed, runner, observation, platformLogout);
}

/** Only its part that seals, stores and opens. */
export function sealedSessions(
  store: SessionStore,
  client: PlatformClient,
  keys: readonly [NamedKey, ...NamedKey[]],
  refused = new RefusedRecords(),
  known = new KnownSessions(),
): SealedSessions {
  return new SealedSessions(store, new RecordSeal(keys), client, refused, known);
}

/** A request that brings a handle, or none. */
export function requestWith(handle?: string, transport: HandleTransport = 'bearer'): RequestContext {
  return {
    requestId: 'test',
    clientAddress: '127.0.0.1',
    network: '127.0.0.1',
    signal: new AbortController().signal,
    presented: handle === undefined ? undefined : { handle, transport },
  };
}

/** Logs a user in and begins a session, as that of a credential profile if one is given; gives its handle. */
export async function beginSession(
  service: SessionService,
  client: PlatformClient,
  username: string,
  profile?: string,
): Promise<string> {
  const session = client.openSession();
  await session.login({ username, password: 'password' });
  return (await service.create(requestWith(), session, { transport: 'bearer', profile })).handle;
}
