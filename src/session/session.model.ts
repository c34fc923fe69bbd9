import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { DateTime, graphqlInt } from './scalars.js';
import { rawPayload, type PlatformSessionInfo, type PlatformUser } from 'portico/client';
import { type KnownSession } from './request-context.js';

export enum SessionTransport {
  COOKIE = 'COOKIE',
  BEARER = 'BEARER',
}

registerEnumType(SessionTransport, {
  name: 'SessionTransport',
  description: 'How the caller sends the session handle.',
  valuesMap: {
    COOKIE: { description: 'An HttpOnly cookie: for browsers.' },
    BEARER: {
      description:
        'The handle is in the answer and is sent as `Authorization: Bearer`: for servers and routers.',
    },
  },
});

const AS_OF_ANSWER =
  ', as of this answer, rounded up; 0 if it has passed. For a countdown that needs no clock of the caller.';

@ObjectType({
  description:
    'What the service knows about the session. Reading it does not call the platform and extends nothing.',
})
export class Session {
  @Field(() => DateTime, { description: 'When the handle expires, even if it is in use.' })
  expiresAt!: Date;

  @Field(() => DateTime, { description: 'When the handle expires if it is not used before then.' })
  idleExpiresAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the platform may end its session, unless `extend` or `sessionStatus` is called first. Null until a `sessionStatus` has returned the timeout.',
  })
  platformExpiresAt?: Date | undefined;

  @Field(() => Int, { description: `Seconds until \`expiresAt\`${AS_OF_ANSWER}` })
  expiresInSeconds!: number;

  @Field(() => Int, { description: `Seconds until \`idleExpiresAt\`${AS_OF_ANSWER}` })
  idleExpiresInSeconds!: number;

  @Field(() => Int, {
    nullable: true,
    description: `Seconds until \`platformExpiresAt\`${AS_OF_ANSWER} Null if that is null.`,
  })
  platformExpiresInSeconds?: number | undefined;

  @Field(() => DateTime, { description: 'When the session started.' })
  startedAt!: Date;

  @Field(() => SessionTransport, { description: 'How the caller sends the session handle.' })
  transport!: SessionTransport;

  @Field(() => String, {
    nullable: true,
    description: 'The credential profile that started the session. Null if a user logged in.',
  })
  profile?: string | undefined;

  /** @param maxSeconds the absolute life of a session. Gives the start of a session that did not record it. */
  static from(known: KnownSession, maxSeconds: number): Session {
    const { at, expiresAt, idleExpiresAt, platformUse, startedAt, transport, profile } = known;
    const platformExpiresAt = platformUse && platformUse.at + platformUse.timeoutMs;
    const secondsTo = (time: number): number => Math.max(0, Math.ceil((time - at) / 1000));
    return {
      expiresAt: new Date(expiresAt),
      idleExpiresAt: new Date(idleExpiresAt),
      platformExpiresAt: platformExpiresAt === undefined ? undefined : new Date(platformExpiresAt),
      expiresInSeconds: secondsTo(expiresAt),
      idleExpiresInSeconds: secondsTo(idleExpiresAt),
      platformExpiresInSeconds: platformExpiresAt === undefined ? undefined : secondsTo(platformExpiresAt),
      startedAt: new Date(startedAt ?? expiresAt - maxSeconds * 1000),
      transport: transport === 'bearer' ? SessionTransport.BEARER : SessionTransport.COOKIE,
      profile,
    };
  }
}

@ObjectType({
  description:
    'A new session, and what a page needs next, so that one round trip can log in and load the page.',
})
export class AuthPayload {
  @Field(() => String, {
    nullable: true,
    description:
      'The session handle for `Authorization: Bearer`. Null with COOKIE, which sets an HttpOnly cookie instead.',
  })
  handle?: string;

  @Field(() => DateTime, { description: 'When the handle expires, even if it is in use.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A session that was extended.' })
export class ExtendPayload {
  @Field(() => DateTime, { description: 'When the handle expires, even if it is in use.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'The logged-in user, as the platform reports it.' })
export class User {
  @Field(() => ID, { nullable: true, description: "The user's id. Some platforms omit it." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The display name.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: "The initials of the user's name." })
  initials?: string | null;

  @Field(() => GraphQLJSONObject, { description: 'The complete object as the platform sent it.' })
  raw!: object;

  static from(user: PlatformUser): User {
    const { id, fullName, initials } = user;
    return { id, fullName, initials, raw: rawPayload(user) };
  }
}

@ObjectType({ description: 'The state of the platform session.' })
export class SessionStatus {
  @Field(() => ID, { nullable: true, description: 'The id of the logged-in user.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the logged-in user.' })
  fullName?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many idle seconds pass before the platform ends the session.',
  })
  timeoutSeconds?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The locale id, for example 1033 for English (United States).',
  })
  locale?: number | null;

  @Field(() => GraphQLJSONObject, { description: 'The complete object as the platform sent it.' })
  raw!: object;

  static from(info: PlatformSessionInfo): SessionStatus {
    const { id, fullName, timeout, locale } = info;
    return {
      id,
      fullName,
      timeoutSeconds: graphqlInt(timeout),
      locale: graphqlInt(locale),
      raw: rawPayload(info),
    };
  }
}
