import { UsePipes } from '@nestjs/common';
import { Args, Context, Mutation, Resolver } from '@nestjs/graphql';
import { INPUT_PIPE } from '../session/input.pipe.js';
import { AuthPayload, ExtendPayload } from '../session/session.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionTransport } from '../session/session.model.js';
import { AuthService } from './auth.service.js';
import { DelegateInput, LoginInput } from './login.input.js';
import { LogoutPayload } from './logout-payload.model.js';
import { ServiceError } from '../errors/service-error.js';

@Resolver()
@UsePipes(INPUT_PIPE)
export class AuthResolver {
  constructor(private readonly auth: AuthService) {}

  @Mutation(() => AuthPayload, { description: 'Logs in to the platform and starts a session.' })
  login(
    @Context() context: RequestContext,
    @Args('input', {
      type: () => LoginInput,
      defaultValue: {},
      description: 'Who logs in, and how the handle is sent.',
    })
    input: LoginInput,
  ): Promise<AuthPayload> {
    requireUsableCookie(context, input.transport);
    return this.auth.login(context, input);
  }

  @Mutation(() => AuthPayload, { description: 'Starts a session with an identity token of the platform.' })
  delegate(
    @Context() context: RequestContext,
    @Args('input', {
      type: () => DelegateInput,
      description: 'The identity token, and how the handle is sent.',
    })
    input: DelegateInput,
  ): Promise<AuthPayload> {
    requireUsableCookie(context, input.transport);
    return this.auth.delegate(context, input);
  }

  @Mutation(() => ExtendPayload, { description: 'Extends the platform session.' })
  extend(@Context() context: RequestContext): Promise<ExtendPayload> {
    return this.auth.extend(context);
  }

  @Mutation(() => LogoutPayload, { description: 'Ends the session, both here and on the platform.' })
  logout(
    @Context() context: RequestContext,
    @Args('everywhere', {
      type: () => Boolean,
      defaultValue: false,
      description: 'Whether all other sessions of the same account end too.',
    })
    everywhere: boolean,
  ): Promise<LogoutPayload> {
    return this.auth.logout(context, everywhere);
  }
}

function requireUsableCookie({ crossSite }: RequestContext, transport: SessionTransport): void {
  if (crossSite === true && transport === SessionTransport.COOKIE) {
    throw new ServiceError(
      'FORBIDDEN',
      'The session cookie is never sent from a page on another site: log in with transport: BEARER',
      { reason: 'CROSS_SITE_COOKIE' },
    );
  }
}
