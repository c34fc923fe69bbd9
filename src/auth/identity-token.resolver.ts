import { Context, Field, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { Settings } from '../config/settings.js';
import { Observation } from '../logging/observation.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import { DateTime } from '../session/scalars.js';
import { ServiceError } from '../errors/service-error.js';

@ObjectType({
  description:
    'A token with which another client can join the session. It works once and for a short time. Treat it like a password.',
})
export class IdentityToken {
  @Field(() => String, { description: 'The token, for `delegate` or for a page that embeds the platform.' })
  token!: string;

  @Field(() => DateTime, {
    description:
      'When the token expires, according to the setting IDENTITY_TOKEN_SECONDS. The platform does not say.',
  })
  expiresAt!: Date;
}

@Resolver(() => IdentityToken)
export class IdentityTokenResolver {
  constructor(
    private readonly sessions: SessionService,
    private readonly settings: Settings,
    private readonly observation: Observation,
  ) {}

  @Mutation(() => IdentityToken, {
    description:
      'Creates a token with which another client can join the session. FORBIDDEN unless IDENTITY_TOKENS is true.',
  })
  async identityToken(@Context() context: RequestContext): Promise<IdentityToken> {
    const event: { kind: 'identity_token'; storeKey?: string } = { kind: 'identity_token' };
    try {
      if (!this.settings.IDENTITY_TOKENS) {
        throw new ServiceError('FORBIDDEN', 'Identity tokens are turned off', {
          reason: 'IDENTITY_TOKENS_OFF',
        });
      }
      const answer = await this.sessions.use(context, async (session, call, storeKey) => {
        event.storeKey = storeKey;
        const expiresAt = new Date(Date.now() + this.settings.IDENTITY_TOKEN_SECONDS * 1000);
        return { token: await session.createIdentityToken(call), expiresAt };
      });
      this.observation.tell('sessionEvent', event);
      return answer;
    } catch (error) {
      this.observation.tell('sessionEvent', { ...event, error });
      throw error;
    }
  }
}
