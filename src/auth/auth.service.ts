import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type CallOptions,
  ExecutionCancelledError,
  PlatformClient,
  type PlatformSession,
} from 'portico/client';
import { Settings } from '../config/settings.js';
import { ProfileLoginService } from './profile-login.service.js';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { AuthPayload, ExtendPayload } from '../session/session.model.js';
import { Observation, type SessionEvent } from '../logging/observation.js';
import { type OpenSession } from '../session/open-sessions.js';
import { PlatformLogout } from '../session/platform-logout.service.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionStore } from '../session/store/session-store.js';
import { SessionTransport } from '../session/session.model.js';
import { SessionService } from '../session/session.service.js';
import { LoginLimits } from './login-limits.service.js';
import { type Account, loginSubject, sessionAccount } from './login-subject.js';
import {
  accountOf,
  type DelegateInput,
  loginCredentials,
  type LoginInput,
  profileLogin,
} from './login.input.js';
import { LogoutPayload } from './logout-payload.model.js';
import { ServiceError } from '../errors/service-error.js';

@Injectable()
export class AuthService {
  readonly #logger = new Logger(AuthService.name);

  constructor(
    private readonly client: PlatformClient,
    private readonly sessions: SessionService,
    private readonly profiles: ProfileLoginService,
    private readonly limits: LoginLimits,
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly settings: Settings,
    private readonly observation: Observation,
    private readonly probe: PlatformProbe,
    private readonly platformLogout: PlatformLogout,
  ) {}

  async login(context: RequestContext, input: LoginInput): Promise<AuthPayload> {
    const byProfile = profileLogin(input);
    if (byProfile === undefined) {
      const credentials = loginCredentials(input);
      const account = accountOf(credentials);
      if (account === undefined && !this.settings.ANONYMOUS_LOGIN) {
        const error = new ServiceError(
          'FORBIDDEN',
          'Anonymous logins are turned off: log in with credentials',
          { reason: 'ANONYMOUS_LOGIN_OFF' },
        );
        this.observation.tell('sessionEvent', { kind: 'login', error });
        throw error;
      }
      const event = {
        kind: 'login',
        account: credentials.username ?? undefined,
        isCredential: credentials.password === undefined,
      } as const;
      return this.#begin(context, input.transport, event, account, (session, call) =>
        session.login(credentials, call),
      );
    }
    const { profile, profileKey } = byProfile;
    const event = { kind: 'profile_use', profile } as const;
    return this.#begin(context, input.transport, event, { kind: 'profile', name: profile }, (session, call) =>
      this.profiles.logInWithKey(session, profile, profileKey, call),
    );
  }

  delegate(context: RequestContext, input: DelegateInput): Promise<AuthPayload> {
    return this.#begin(context, input.transport, { kind: 'delegate' }, undefined, (session, call) =>
      session.delegate(input.identityToken, call),
    );
  }

  async extend(context: RequestContext): Promise<ExtendPayload> {
    const { expiresAt } = await this.sessions.extend(context);
    return { expiresAt: new Date(expiresAt) };
  }

  async logout(context: RequestContext, everywhere: boolean): Promise<LogoutPayload> {
    return { loggedOut: true, platformLoggedOut: await this.sessions.end(context, everywhere) };
  }

  /** Every login and delegation ends here, with a payload or an error, so its outcome is reported here. */
  async #begin(
    context: RequestContext,
    transport: SessionTransport,
    event: SessionEvent,
    account: Account | undefined,
    authenticate: (session: PlatformSession, call: CallOptions) => Promise<void>,
  ): Promise<AuthPayload> {
    try {
      const open = await this.#logIn(context, transport, account, authenticate);
      this.observation.tell('sessionEvent', { ...event, storeKey: open.key });
      const handle = transport === SessionTransport.BEARER ? open.handle : undefined;
      return { handle, expiresAt: new Date(open.expiresAt) };
    } catch (error) {
      this.observation.tell('sessionEvent', { ...event, error });
      throw error;
    }
  }

  /** Checks the store first: without it, a new session could not be kept. */
  async #logIn(
    context: RequestContext,
    transport: SessionTransport,
    account: Account | undefined,
    authenticate: (session: PlatformSession, call: CallOptions) => Promise<void>,
  ): Promise<OpenSession> {
    const { signal } = context;
    const subject = loginSubject(context, account);
    const session = this.client.openSession();
    await this.limits.attempt(subject, signal, async () => {
      await this.store.ping();
      if (signal.aborted) throw hungUp();
      // The call continues if its caller hangs up: the platform may have started a session, which then could not be
      // logged out.
      try {
        await authenticate(session, { party: subject.party });
      } catch (error) {
        this.probe.explain(error);
        throw error;
      }
    });
    if (signal.aborted) {
      await this.platformLogout.end(session);
      throw hungUp();
    }
    const handleTransport = transport === SessionTransport.BEARER ? 'bearer' : 'cookie';
    const open = await this.sessions.create(context, session, {
      transport: handleTransport,
      account: account && sessionAccount(account, subject.account),
      profile: account?.kind === 'profile' ? account.name : undefined,
    });
    await this.#endWithCaller(context, signal, open);
    return open;
  }

  /** A caller who hangs up before the answer is sent never learns the handle, so the session is ended. */
  async #endWithCaller(context: RequestContext, signal: AbortSignal, open: OpenSession): Promise<void> {
    const end = async (): Promise<void> => {
      try {
        await this.sessions.end({ ...context, open: Promise.resolve(open) });
      } catch (error) {
        const reason = error instanceof Error ? error.name : 'unknown error';
        this.#logger.warn(`The session of a caller who hung up could not be ended: ${reason}`);
      }
    };
    if (signal.aborted) {
      await end();
      throw hungUp();
    }
    signal.addEventListener('abort', () => void end());
  }
}

function hungUp(): ExecutionCancelledError {
  return new ExecutionCancelledError('The caller hung up during the login.');
}
