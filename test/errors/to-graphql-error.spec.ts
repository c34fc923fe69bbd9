import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GraphQLError } from 'graphql';
import * as client from 'portico/client';
import { toGraphQLError } from '../../src/errors/to-graphql-error.js';
import {
  overloaded,
  rateLimited,
  refusedRequest,
  ServiceError,
  storeUnavailable,
} from '../../src/errors/service-error.js';

const at = {
  message: 'CANARY in the first message',
  path: ['projects'],
  locations: [{ line: 1, column: 3 }],
};

function mapped(thrown: unknown): ReturnType<typeof toGraphQLError> {
  return toGraphQLError({ ...at, extensions: { code: 'CANARY', stacktrace: ['CANARY'] } }, thrown);
}

describe('an error on its way out', () => {
  it('carries what the platform said, by the table', () => {
    const error = new client.InsufficientPrivilegesError('No privilege', {
      code: 'ERR014',
      iserverCode: '-2147213784',
      iserverMessage: 'A privilege is missing',
      ticketId: 'T1',
      status: 403,
    });
    expect(mapped(error)).toEqual({
      message: 'No privilege',
      path: ['projects'],
      locations: at.locations,
      extensions: {
        code: 'FORBIDDEN',
        platformCode: 'ERR014',
        iserverCode: '-2147213784',
        iserverMessage: 'A privilege is missing',
        ticketId: 'T1',
        platformStatus: 403,
        retryable: false,
      },
    });
  });

  it('lists the ids behind an ambiguous name: ten at most, and only what can be an id', () => {
    const many = Array.from({ length: 25 }, (_, index) => `ID${index}`);
    expect(mapped(new client.AmbiguousProjectNameError(many)).extensions).toMatchObject({
      reason: 'AMBIGUOUS_NAME',
      ids: many.slice(0, 10),
    });
    const odd = ['x'.repeat(65), 'A', 'y'.repeat(64)];
    expect(mapped(new client.AmbiguousProjectNameError(odd)).extensions).toMatchObject({
      ids: ['A', 'y'.repeat(64)],
    });
    expect(mapped(new client.SessionError('none')).extensions).not.toHaveProperty('ids');
  });

  it('does not tell a wrong user from a wrong password', () => {
    const of = (iserverCode: string, ticketId: string): unknown =>
      mapped(
        new client.LoginFailedError(`because of ${iserverCode}`, {
          code: 'ERR003',
          iserverCode,
          ticketId,
          status: 401,
        }),
      );
    expect(of('-2147216967', 'T1')).toEqual(of('-2147216964', 'T1'));
    expect(of('-2147216967', 'T1')).toMatchObject({ extensions: { ticketId: 'T1' } });
  });

  it.each([
    ['-2147216963', 'PASSWORD_EXPIRED'],
    ['-2147216965', 'ACCOUNT_DISABLED'],
    ['-2147202287', 'ACCOUNT_LOCKED'],
    ['-2147213792', 'STANDARD_AUTH_DISABLED'],
    ['-2147216959', 'LOGIN_FAILED'],
  ])('has the reason of the back-end code %s: %s', (iserverCode, reason) => {
    const { extensions } = mapped(new client.LoginFailedError('no', { code: 'ERR003', iserverCode }));
    expect(extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason, platformCode: 'ERR003' });
  });

  it('distinguishes a session that never existed from one that has ended', () => {
    expect(mapped(new client.SessionError('none')).extensions).toMatchObject({
      reason: 'NO_SESSION',
      platformCode: 'N/A',
    });
    expect(mapped(new client.SessionError('gone', { code: 'ERR009' })).extensions).toMatchObject({
      reason: 'SESSION_EXPIRED',
    });
  });

  it('never calls a store that is down unauthenticated', () => {
    const { message, extensions } = mapped(storeUnavailable('CANARY'));
    expect(extensions).toEqual({ code: 'SESSION_STORE_UNAVAILABLE', retryable: true, retryAfter: 1 });
    expect(message).not.toContain('CANARY');
  });

  it.each([
    [
      'thrown by a resolver',
      (error: ServiceError): unknown =>
        new GraphQLError('CANARY', { path: ['projects'], originalError: error }),
    ],
    ['that refuses the whole request', (error: ServiceError): unknown => refusedRequest(error, 400)],
    [
      'that Apollo wraps in an error of validation',
      (error: ServiceError): unknown =>
        new GraphQLError('CANARY', { originalError: refusedRequest(error, 400).originalError }),
    ],
  ])('says the code, reason and pause of an error of the service %s', (_case, thrown) => {
    const error = new ServiceError('FORBIDDEN', 'Not here', {
      reason: 'ORIGIN_NOT_ALLOWED',
      detail: 'CANARY',
    });
    expect(mapped(thrown(error))).toMatchObject({
      message: 'Not here',
      extensions: { code: 'FORBIDDEN', reason: 'ORIGIN_NOT_ALLOWED', retryable: false },
    });
    expect(mapped(thrown(overloaded('SESSION_BUSY'))).extensions).toEqual({
      code: 'OVERLOADED',
      reason: 'SESSION_BUSY',
      retryable: true,
      retryAfter: 1,
    });
    expect(mapped(thrown(rateLimited('LOGIN_RATE', 42))).extensions).toEqual({
      code: 'RATE_LIMITED',
      reason: 'LOGIN_RATE',
      retryable: true,
      retryAfter: 42,
    });
  });

  it.each([
    ['an error of another kind', new Error('CANARY boom')],
    [
      'a GraphQL error that nobody named',
      new GraphQLError('CANARY', { extensions: { code: 'SECRET_CODE' } }),
    ],
    ['a thrown string', 'CANARY'],
    ['nothing', undefined],
  ])('is masked when it is %s', (_case, thrown) => {
    expect(mapped(thrown)).toEqual({
      message: 'Internal server error',
      path: at.path,
      locations: at.locations,
      extensions: { code: 'INTERNAL_SERVER_ERROR', retryable: false },
    });
  });

  it.each(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT', 'BAD_REQUEST'])(
    'quotes nothing of the request when its code is %s',
    (code) => {
      const answer = toGraphQLError(
        { ...at, extensions: { code } },
        new GraphQLError('CANARY', { extensions: { code } }),
      );
      expect(answer.extensions).toEqual({ code, retryable: false });
      expect(inspect(answer)).not.toContain('CANARY');
    },
  );
});
