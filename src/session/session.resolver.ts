import { Context, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { AuthPayload, ExtendPayload } from './auth-payload.model.js';
import { type RequestContext } from './request-context.js';
import { SessionStatus, User } from './session.model.js';
import { SessionService } from './session.service.js';

@Resolver(() => User)
export class SessionResolver {
  constructor(private readonly sessions: SessionService) {}

  @Query(() => Boolean, { description: 'Whether the caller holds a session. The platform is not asked.' })
  hasSession(@Context() context: RequestContext): Promise<boolean> {
    return this.sessions.isOpen(context);
  }

  @Query(() => User, { nullable: true, description: 'The logged-in user.' })
  async me(@Context() context: RequestContext): Promise<User> {
    return User.from(
      await this.sessions.read(context, 'getUserInfo', (session, call) => session.getUserInfo(call)),
    );
  }

  @Query(() => SessionStatus, {
    nullable: true,
    description: 'The state of the platform session; asking extends it.',
  })
  async sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return SessionStatus.from(
      await this.sessions.read(context, 'getSessionInfo', (session, call) => session.getSessionInfo(call)),
    );
  }
}

@Resolver(() => AuthPayload)
export class AuthPayloadSessionResolver {
  constructor(private readonly session: SessionResolver) {}

  @ResolveField(() => User, { nullable: true, description: 'The logged-in user.' })
  me(@Context() context: RequestContext): Promise<User> {
    return this.session.me(context);
  }

  @ResolveField(() => SessionStatus, { nullable: true, description: 'The state of the platform session.' })
  sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return this.session.sessionStatus(context);
  }
}

@Resolver(() => ExtendPayload)
export class ExtendPayloadSessionResolver {
  constructor(private readonly session: SessionResolver) {}

  @ResolveField(() => SessionStatus, { nullable: true, description: 'The state of the platform session.' })
  sessionStatus(@Context() context: RequestContext): Promise<SessionStatus> {
    return this.session.sessionStatus(context);
  }
}
