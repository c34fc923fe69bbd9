import { PlatformClient } from 'portico/client';
import { type CredentialProfiles } from 'portico/credentials';
import { AuthService } from '../../src/auth/auth.service.js';
import { LoginInput } from '../../src/auth/login.input.js';
import { LoginLimits, LoginWatch } from '../../src/auth/login-limits.service.js';
import { ProfileLoginService } from '../../src/auth/profile-login.service.js';
import { parseSettings } from '../../src/config/parse-settings.js';
import { type Settings } from '../../src/config/settings.js';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { PlatformProbe } from '../../src/platform/platform-probe.service.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';
import { SessionTransport } from '../../src/session/session.model.js';
import { type SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';
import { sessionService, serverKey } from './session/session-bench.js';
import { tempFolder } from './temp-folder.js';

export const ALICE = { username: 'alice', password: 'password' };

/** The logins of one instance on a platform, without the rest of the service. */
export interface AuthBench {
  readonly auth: AuthService;
  readonly sessions: SessionService;
  readonly store: EmbeddedSessionStore;
  readonly settings: Settings;
  readonly observation: Observation;
  /** What was reported of sessions, in order. */
  readonly events: SessionEvent[];
  close(): Promise<void>;
}

export async function authBench(
  baseUrl: string,
  environment: Record<string, string> = {},
  profiles?: CredentialProfiles,
): Promise<AuthBench> {
  const folder = await tempFolder();
  const client = new PlatformClient({ baseUrl });
  const store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
  const settings = parseSettings(environment);
  const observation = new Observation();
  const events: SessionEvent[] = [];
  observation.add({ sessionEvent: (event) => events.push(event) });
  const sessions = sessionService(store, client, [serverKey('a')], undefined, undefined, observation);
  const auth = new AuthService(
    client,
    sessions,
    new ProfileLoginService(profiles),
    new LoginLimits(settings, recordLoginsInProcess(), new LoginWatch(settings)),
    store,
    settings,
    observation,
    new PlatformProbe(client, settings),
    new PlatformLogout(observation),
  );
  const close = async (): Promise<void> => {
    await client.close();
    await store.close();
    await folder.remove();
  };
  return { auth, sessions, store, settings, observation, events, close };
}

/** The input of a login whose handle is given to the caller. */
export function loginInput(fields: Partial<LoginInput>): LoginInput {
  return Object.assign(new LoginInput(), { transport: SessionTransport.BEARER, ...fields });
}
