import { Inject, Injectable } from '@nestjs/common';
import { PlatformClient, type PlatformSession } from '../client/index.js';
import { ProfileLoginService } from '../credentials/profile-login.service.js';
import { AuthPayload, ExtendPayload } from '../session/auth-payload.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionStore } from '../session/store/session-store.js';
import { SessionService } from '../session/session.service.js';
import { LoginLimits } from './login-limits.service.js';
import { type DelegateInput, type LoginInput, SessionTransport } from './login.input.js';
import { LogoutPayload } from './logout-payload.model.js';
import { loginCredentials, profileLogin } from './read-login.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly client: PlatformClient,
    private readonly sessions: SessionService,
    private readonly profiles: ProfileLoginService,
    private readonly limits: LoginLimits,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  async login(context: RequestContext, input: LoginInput): Promise<AuthPayload> {
    const byProfile = profileLogin(input);
    if (byProfile === undefined) {
      const credentials = loginCredentials(input);
      return this.begin(context, input.transport, credentials.username ?? undefined, (session) =>
        session.login(credentials),
      );
    }
    const { profile, profileKey } = byProfile;
    const authenticate = (session: PlatformSession): Promise<void> =>
      this.profiles.logInWithKey(session, profile, profileKey);
    return this.begin(context, input.transport, profile, authenticate, profile);
  }

  delegate(context: RequestContext, input: DelegateInput): Promise<AuthPayload> {
    return this.begin(context, input.transport, undefined, (session) =>
      session.delegate(input.identityToken),
    );
  }

  async extend(context: RequestContext): Promise<ExtendPayload> {
    const { expiresAt } = await this.sessions.extend(context);
    return { expiresAt: new Date(expiresAt) };
  }

  async logout(context: RequestContext): Promise<LogoutPayload> {
    await this.sessions.end(context);
    return { loggedOut: true };
  }

  /** Checks the store first: without it, a new session could not be kept. */
  private async begin(
    context: RequestContext,
    transport: SessionTransport,
    account: string | undefined,
    authenticate: (session: PlatformSession) => Promise<void>,
    profile?: string,
  ): Promise<AuthPayload> {
    const session = this.client.openSession();
    await this.limits.attempt(context.clientAddress, account, async () => {
      await this.store.ping();
      await authenticate(session);
    });
    const bearer = transport === SessionTransport.BEARER;
    const open = await this.sessions.begin(context, session, bearer ? 'bearer' : 'cookie', profile);
    return { handle: bearer ? open.handle : undefined, expiresAt: new Date(open.expiresAt) };
  }
}
