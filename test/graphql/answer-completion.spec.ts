import { Logger } from '@nestjs/common';
import {
  GraphQLError,
  type GraphQLFormattedError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.js';
import { AnswerCompletion } from '../../src/graphql/answer-completion.service.js';
import { type GraphQLContext } from '../../src/graphql/graphql-context.js';
import { LogLine } from '../../src/logging/logger.service.js';
import { Observation } from '../../src/logging/observation.js';
import { sessionKeysSetting } from '../support/session/session-keys.js';

const GRAPHQL_JSON = 'application/graphql-response+json';
const PARSE_FAILED = error('GRAPHQL_PARSE_FAILED');
const INVALID = error('GRAPHQL_VALIDATION_FAILED');
const BAD_INPUT = error('BAD_USER_INPUT');
const TOO_MUCH = error('GRAPHQL_VALIDATION_FAILED', { reason: 'LIMIT_EXCEEDED' });
const STORE_DOWN = error('SESSION_STORE_UNAVAILABLE');
const NO_SESSION = error('UNAUTHENTICATED');

type Line = [level: string, line: unknown];
let lines: Line[];
let answered: [string | undefined, string | undefined][];

beforeAll(() => {
  const logAs = (level: string) => (line: unknown) => lines.push([level, line]);
  Logger.overrideLogger({ log: logAs('log'), warn: logAs('warn'), error: logAs('error') });
});
beforeEach(() => {
  lines = [];
  answered = [];
});
afterAll(() => {
  Logger.overrideLogger(true);
});

function error(code: string, extensions: object = {}): GraphQLFormattedError {
  return { message: code, extensions: { code, ...extensions } };
}

function operation(type: OperationTypeNode, name?: string): OperationDefinitionNode {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: [] } as const;
  const named = name === undefined ? {} : { name: { kind: Kind.NAME, value: name } as const };
  return { kind: Kind.OPERATION_DEFINITION, operation: type, selectionSet, ...named };
}

interface Answer {
  readonly errors?: readonly GraphQLFormattedError[];
  /** What GraphQL over HTTP says. */
  readonly status?: number;
  readonly accept?: string;
  readonly type?: OperationTypeNode;
  readonly name?: string;
  readonly context?: Partial<GraphQLContext>;
  readonly thrown?: readonly GraphQLError[];
}

function completion(environment: Record<string, string> = {}): AnswerCompletion {
  const observation = new Observation();
  observation.add({ operationAnswered: (...of) => answered.push(of) });
  return new AnswerCompletion(parseSettings(environment), observation);
}

/** The head of an answer, and whether that may be compressed. */
function complete(
  { errors = [], status, accept, type, name, context, thrown }: Answer,
  by = completion(),
): {
  status: number | undefined;
  headers: Record<string, string>;
  mayBeCompressed: boolean;
} {
  let mayBeCompressed = false;
  const contextValue = {
    isRouter: false,
    sessionCookie: { name: '__Host-portico', secure: true },
    allowCompression: () => {
      mayBeCompressed = true;
    },
    ...context,
  } as GraphQLContext;
  const headers = new Map<string, string>();
  const http = { status, headers };
  by.complete({ contextValue, operation: type && operation(type, name), accept, errors, thrown }, http);
  return { status: http.status, headers: Object.fromEntries(headers), mayBeCompressed };
}

describe('the status of an answer', () => {
  it.each([
    ['without errors', {}, undefined],
    ['whose caller has no session', { errors: [NO_SESSION] }, undefined],
    ['with the store down', { errors: [STORE_DOWN] }, 503],
    ['with the store down for one of its fields', { errors: [NO_SESSION, STORE_DOWN] }, 503],
    ['with the store down, to plain JSON', { errors: [STORE_DOWN], accept: 'application/json' }, 503],
  ])('%s is %2$s', (_what, answer, expected) => {
    expect(complete(answer).status).toBe(expected);
  });

  it.each([
    [GRAPHQL_JSON, 400],
    [`application/json, ${GRAPHQL_JSON}`, 400],
    ['*/*', 400],
    [undefined, 400],
    ['', 400],
    ['application/json', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['application/json;q=0.9, application/json', 200],
  ])('to a mistake in a document, for a caller who accepts %j, is %d', (accept, expected) => {
    for (const mistake of [PARSE_FAILED, INVALID, BAD_INPUT]) {
      expect(complete({ errors: [mistake], status: 400, accept }).status).toBe(expected);
    }
  });

  it.each([
    ['a limit that the document exceeds', [TOO_MUCH]],
    ['a limit among mistakes', [INVALID, TOO_MUCH]],
    ['an error that is no mistake of the document', [INVALID, NO_SESSION]],
  ])('to %s is 400 for every caller', (_what, errors) => {
    for (const accept of [GRAPHQL_JSON, 'application/json']) {
      expect(complete({ errors, status: 400, accept }).status).toBe(400);
    }
  });

  it('to a router is 200 whatever the error is, since its errors would be lost with any other', () => {
    for (const each of [STORE_DOWN, INVALID, TOO_MUCH]) {
      expect(complete({ errors: [each], status: 400, context: { isRouter: true } }).status).toBe(200);
    }
  });
});

describe('the head of an answer', () => {
  it('forbids caches to keep it, with errors or without', () => {
    for (const errors of [[], [NO_SESSION]]) {
      expect(complete({ errors }).headers).toMatchObject({ 'cache-control': 'private, no-store' });
    }
  });

  it('says when to try again if one of its errors does', () => {
    const errors = [NO_SESSION, error('RATE_LIMITED', { retryAfter: 7 })];
    expect(complete({ errors }).headers['retry-after']).toBe('7');
    expect(complete({ errors: [NO_SESSION] }).headers).not.toHaveProperty('retry-after');
  });

  it('sets the cookie of a new session, and clears a useless one', () => {
    const begun = complete({ context: { cookie: { handle: 'handle', seconds: 60 } } });
    expect(begun.headers['set-cookie']).toMatch(/^__Host-portico=handle; Max-Age=60;/);
    const useless = complete({ errors: [NO_SESSION], context: { cookie: 'useless' } });
    expect(useless.headers['set-cookie']).toMatch(/^__Host-portico=; Max-Age=0;/);
    expect(complete({}).headers).not.toHaveProperty('set-cookie');
  });

  it('to a router clears no useless cookie: a login before it may have set another', () => {
    const context = { isRouter: true, cookie: 'useless' } as const;
    expect(complete({ errors: [NO_SESSION], context }).headers).not.toHaveProperty('set-cookie');
    const ended = complete({ context: { isRouter: true, cookie: 'ended' } });
    expect(ended.headers['set-cookie']).toMatch(/^__Host-portico=; Max-Age=0;/);
  });
});

describe('an answer may be compressed', () => {
  it.each([
    [OperationTypeNode.QUERY, true],
    [OperationTypeNode.MUTATION, false],
    [undefined, false],
  ])('for the operation %s: %s, since only answers to mutations hold handles', (type, expected) => {
    expect(complete({ type }).mayBeCompressed).toBe(expected);
  });
});

describe('the log', () => {
  const { QUERY } = OperationTypeNode;

  it('has one line for an answer with errors, with the facts of the first', () => {
    const facts = {
      reason: 'R',
      platformCode: 'ERR004',
      iserverCode: '-1',
      platformStatus: 404,
      ticketId: 'ticket',
    };
    const errors = [error('NOT_FOUND', { ...facts, more: 'secret' }), NO_SESSION];
    complete({ errors, type: QUERY, name: 'N'.repeat(65) });
    const fields = {
      code: 'NOT_FOUND',
      ...facts,
      operation: 'query',
      operationName: 'N'.repeat(64),
      errors: 2,
    };
    expect(lines).toEqual([['log', new LogLine('answered with an error', fields)]]);
  });

  it('says which kind of operation it was only if the request says so', () => {
    complete({ errors: [PARSE_FAILED] });
    expect(lines).toEqual([
      [
        'log',
        expect.objectContaining({
          fields: expect.objectContaining({ operation: 'none', operationName: undefined }),
        }),
      ],
    ]);
    complete({ errors: [{ message: 'without a code' }] });
    expect(lines.at(-1)?.[1]).toMatchObject({ fields: { code: undefined } });
  });

  it('warns of the error that an operator may have to fix, whatever comes before it', () => {
    complete({ errors: [NO_SESSION, STORE_DOWN, error('BACKEND_ERROR')], type: QUERY });
    expect(lines).toEqual([
      [
        'warn',
        expect.objectContaining({ fields: expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' }) }),
      ],
    ]);
  });

  it('has an unforeseen error itself, as it was thrown, besides the line', () => {
    const unforeseen = error('INTERNAL_SERVER_ERROR');
    const cause = new Error('a bug');
    const wrapped = new GraphQLError('wrapped', { originalError: cause });
    const bare = new GraphQLError('bare');
    complete({ errors: [NO_SESSION, unforeseen, unforeseen], thrown: [bare, wrapped, bare] });
    complete({ errors: [unforeseen] });
    expect(lines.filter(([level]) => level === 'error')).toEqual([
      ['error', cause],
      ['error', bare],
      ['error', undefined],
    ]);
    expect(lines.filter(([level]) => level === 'warn')).toHaveLength(2);
  });

  it('has nothing of an answer without errors', () => {
    complete({ type: QUERY });
    expect(lines).toEqual([]);
  });

  it('warns once of session cookies over plain http, in production, and says what is to be done', () => {
    const production = {
      NODE_ENV: 'production',
      PLATFORM_BASE_URL: 'https://platform.example/api',
      SESSION_KEYS: sessionKeysSetting(),
    };
    const plain = (by: AnswerCompletion, secure = false): void => {
      const sessionCookie = { name: 'portico', secure };
      for (let time = 0; time < 2; time += 1) complete({ context: { cookie: 'ended', sessionCookie } }, by);
    };
    plain(completion(production), true);
    plain(completion());
    expect(lines).toEqual([]);
    plain(completion(production));
    plain(completion({ ...production, TRUSTED_PROXIES: 'private' }));
    const warning = 'Session cookies are set without Secure: requests seem to arrive over plain http.';
    expect(lines).toEqual([
      ['warn', `${warning} Behind a TLS proxy, set TRUSTED_PROXIES.`],
      [
        'warn',
        `${warning} A TLS proxy must send X-Forwarded-Proto: https, from an address in TRUSTED_PROXIES.`,
      ],
    ]);
  });
});

describe('an answer', () => {
  it('is reported with the kind of its operation and the code of its first error', () => {
    complete({ type: OperationTypeNode.QUERY });
    complete({ type: OperationTypeNode.MUTATION, errors: [NO_SESSION, STORE_DOWN] });
    complete({ errors: [PARSE_FAILED] });
    expect(answered).toEqual([
      ['query', undefined],
      ['mutation', 'UNAUTHENTICATED'],
      [undefined, 'GRAPHQL_PARSE_FAILED'],
    ]);
  });
});
