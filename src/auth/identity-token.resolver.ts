import { Context, Mutation, Resolver } from '@nestjs/graphql';
import { Settings } from '../config/settings.js';
import { Observation } from '../logging/observation.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import { IdentityToken } from './identity-token.model.js';
import { ServiceError } from '../errors/service-error.js';

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
      const answer = await this.sessions.use(context, async (session, storeKey) => {
        event.storeKey = storeKey;
        const expiresAt = new Date(Date.now() + this.settings.IDENTITY_TOKEN_SECONDS * 1000);
        return { token: await session.createIdentityToken(), expiresAt };
      });
      this.observation.sessionEvent(event);
      return answer;
    } catch (error) {
      this.observation.sessionEvent({ ...event, error });
      throw error;
    }
  }
}
