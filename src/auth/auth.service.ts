import { Inject, Injectable } from '@nestjs/common';
import {
  InvalidRequestError,
  LoginFailedError,
  PlatformClient,
  type PlatformSession,
} from '../client/index.js';
import { AuthPayload, ExtendPayload } from '../session/auth-payload.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionStore } from '../session/session-store.js';
import { SessionService } from '../session/session.service.js';
import { type DelegateInput, type LoginInput, SessionTransport } from './login.input.js';
import { LogoutPayload } from './logout-payload.model.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly client: PlatformClient,
    private readonly sessions: SessionService,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  login(context: RequestContext, input: LoginInput): Promise<AuthPayload> {
    return this.begin(context, input.transport, async (session) => {
      if (given(input.password) !== undefined && given(input.username) === undefined) {
        throw new InvalidRequestError('A password needs a user name');
      }
      if (given(input.profile) !== undefined) throw new LoginFailedError('There is no such profile');
      await session.login({
        username: given(input.username),
        password: given(input.password),
        apiKey: given(input.apiKey),
        applicationType: given(input.applicationType),
      });
    });
  }

  delegate(context: RequestContext, input: DelegateInput): Promise<AuthPayload> {
    return this.begin(context, input.transport, (session) => session.delegate(input.identityToken));
  }

  async extend(context: RequestContext): Promise<ExtendPayload> {
    const { expiresAt } = await this.sessions.extend(context);
    return { expiresAt: new Date(expiresAt) };
  }

  async logout(context: RequestContext): Promise<LogoutPayload> {
    await this.sessions.end(context);
    return { loggedOut: true };
  }

  /** The store is asked first: a login that could not be kept is not tried. */
  private async begin(
    context: RequestContext,
    transport: SessionTransport,
    authenticate: (session: PlatformSession) => Promise<void>,
  ): Promise<AuthPayload> {
    await this.store.ping();
    const session = this.client.openSession();
    await authenticate(session);
    const bearer = transport === SessionTransport.BEARER;
    const open = await this.sessions.begin(context, session, bearer ? 'bearer' : 'cookie');
    return { handle: bearer ? open.handle : undefined, expiresAt: new Date(open.expiresAt) };
  }
}

/** GraphQL tells null from absent; the platform does not. */
function given<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}
