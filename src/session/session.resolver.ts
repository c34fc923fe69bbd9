import { Context, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Settings } from '../config/settings.js';
import { type RequestContext } from './request-context.js';
import { AuthPayload, ExtendPayload, Session, SessionStatus, User } from './session.model.js';
import { SessionService } from './session.service.js';

@Resolver(() => User)
export class SessionResolver {
  constructor(
    private readonly sessions: SessionService,
    private readonly settings: Settings,
  ) {}

  @Query(() => Boolean, { description: 'Whether the caller has a session. Does not call the platform.' })
  hasSession(@Context() context: RequestContext): Promise<boolean> {
    return this.sessions.isOpen(context);
  }

  @Query(() => Session, {
    nullable: true,
    description:
      'What the service knows about the session, or null if there is none. Does not call the platform and extends nothing.',
  })
  async session(@Context() context: RequestContext): Promise<Session | null> {
    const known = await this.sessions.known(context);
    return known === undefined ? null : Session.from(known, this.settings.SESSION_MAX_SECONDS);
  }

  @Query(() => User, { nullable: true, description: 'The logged-in user.' })
  async me(@Context() context: RequestContext): Promise<User> {
    return User.from(
      await this.sessions.read(context, 'getUserInfo', (session, call) => session.getUserInfo(call)),
    );
  }

  @Query(() => SessionStatus, {
    nullable: true,
    description: 'The state of the platform session. Reading it extends the session.',
  })
  async sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return SessionStatus.from(await this.sessions.status(context));
  }
}

@Resolver(() => AuthPayload)
export class AuthPayloadSessionResolver {
  constructor(private readonly resolver: SessionResolver) {}

  @ResolveField(() => Session, { nullable: true, description: 'What the service knows about the session.' })
  session(@Context() context: RequestContext): Promise<Session | null> {
    return this.resolver.session(context);
  }

  @ResolveField(() => User, { nullable: true, description: 'The logged-in user.' })
  me(@Context() context: RequestContext): Promise<User> {
    return this.resolver.me(context);
  }

  @ResolveField(() => SessionStatus, { nullable: true, description: 'The state of the platform session.' })
  sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return this.resolver.sessionStatus(context);
  }
}

@Resolver(() => ExtendPayload)
export class ExtendPayloadSessionResolver {
  constructor(private readonly resolver: SessionResolver) {}

  @ResolveField(() => Session, { nullable: true, description: 'What the service knows about the session.' })
  session(@Context() context: RequestContext): Promise<Session | null> {
    return this.resolver.session(context);
  }

  @ResolveField(() => SessionStatus, { nullable: true, description: 'The state of the platform session.' })
  sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return this.resolver.sessionStatus(context);
  }
}
