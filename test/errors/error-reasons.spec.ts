import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GraphQLError } from 'graphql';
import { errorClassOf } from '../../packages/portico/src/client/connection/response-error.js';
import { ISERVER_CODES } from '../../packages/portico/src/errors/iserver-codes.js';
import {
  AmbiguousProjectNameError,
  ForeignRedirectError,
  PlatformUnreachableError,
  SessionError,
  type UnreachableReason,
} from 'portico/client';
import {
  CREDENTIAL_REASONS,
  CredentialError,
  type CredentialReason,
} from '../../packages/portico/src/errors/credential-error.js';
import { type ErrorCode } from '../../packages/portico/src/errors/error-codes.js';
import { type ErrorReason, REASON_TABLE } from '../../packages/portico/src/errors/error-reasons.js';
import { ERROR_TABLE } from '../../src/errors/error-table.js';
import { toGraphQLError } from '../../src/errors/to-graphql-error.js';
import {
  OVERLOAD_REASONS,
  overloaded,
  RATE_LIMIT_REASONS,
  rateLimited,
  refusedRequest,
  ServiceError,
} from '../../src/errors/service-error.js';

const UNREACHABLE: readonly UnreachableReason[] = ['CONNECT', 'DNS', 'TLS', 'CIRCUIT_OPEN'];
const WIRE_CODES = Array.from({ length: 20 }, (_, number) => `ERR${String(number).padStart(3, '0')}`);
const FACTS = Object.entries(REASON_TABLE) as [
  ErrorReason,
  { codes: readonly string[]; iserverCodes?: readonly number[] },
][];

const platformErrors = WIRE_CODES.flatMap((code) =>
  [undefined, ...ISERVER_CODES.map(([number]) => String(number))].map(
    (iserverCode) => new (errorClassOf(code))('no', { code, iserverCode }),
  ),
);

const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));

/** Every refusal of the service that has a reason, as its call in the sources says it. */
const refusals = sources
  .flatMap((text) => [...text.matchAll(/new ServiceError\(\s*'(\w+)',(?:(?!\);)[^])*?\breason: '(\w+)'/g)])
  .map(([, code, reason]) => new ServiceError(code as ErrorCode, 'no', { reason: reason as ErrorReason }));

/** Whether the service gives a reason that its type allows. */
const isGiven = (reason: ErrorReason): boolean => sources.some((text) => text.includes(`'${reason}'`));

const otherErrors = [
  ...refusals,
  ...refusals.map((error) => refusedRequest(error, 400)),
  new SessionError('none'),
  new AmbiguousProjectNameError(['A', 'B']),
  ...UNREACHABLE.map((reason) => new PlatformUnreachableError('no', reason)),
  ...(Object.keys(CREDENTIAL_REASONS) as CredentialReason[]).map(
    (reason) => new CredentialError({ store: 'env', secret: 'NAME' }, reason),
  ),
  new ForeignRedirectError('no'),
  ...RATE_LIMIT_REASONS.filter(isGiven).map((reason) => rateLimited(reason, 1)),
  ...OVERLOAD_REASONS.filter(isGiven).map((reason) => refusedRequest(overloaded(reason), 503)),
  new GraphQLError('Syntax Error: Document contains more than 5 tokens. Parsing aborted.'),
];

/** The code and the reason that a caller sees. */
function seen(thrown: Error): { code: string; reason?: ErrorReason } {
  const { extensions } = toGraphQLError({ message: 'no' }, thrown);
  return extensions as { code: string; reason?: ErrorReason };
}

describe('the table of reasons', () => {
  it('has no reason that no error leads to', () => {
    const reached = new Set([...platformErrors, ...otherErrors].map((error) => seen(error).reason));
    expect(
      Object.keys(REASON_TABLE).filter((reason) => !reached.has(reason as ErrorReason)),
      'given by no refusal in src, and by no rule of src/errors/error-table.ts for an error that is listed here',
    ).toEqual([]);
  });

  it('gives every reason with the codes that the table names, and all of those', () => {
    const codes = new Map<ErrorReason, Set<string>>();
    for (const error of [...platformErrors, ...otherErrors]) {
      const { code, reason } = seen(error);
      if (reason !== undefined) codes.set(reason, (codes.get(reason) ?? new Set()).add(code));
    }
    for (const [reason, facts] of FACTS) {
      expect([reason, [...(codes.get(reason) ?? [])].sort()]).toEqual([reason, [...facts.codes].sort()]);
    }
  });

  it('gives every back-end code that it lists its own reason', () => {
    const wireCodeOf: Readonly<Record<string, string>> = {
      UNAUTHENTICATED: 'ERR003',
      PLATFORM_ERROR: 'ERR001',
    };
    for (const [reason, { codes, iserverCodes = [] }] of FACTS) {
      for (const number of iserverCodes) {
        const wireCode = wireCodeOf[String(codes[0])] ?? '';
        const error = new (errorClassOf(wireCode))('no', { code: wireCode, iserverCode: String(number) });
        expect([number, seen(error)]).toEqual([number, expect.objectContaining({ code: codes[0], reason })]);
      }
    }
  });

  it('lists only back-end codes that the client explains, each under one reason', () => {
    const listed = FACTS.flatMap(([, { iserverCodes = [] }]) => iserverCodes);
    const explained = new Set(ISERVER_CODES.map(([number]) => number));
    expect(listed.filter((number) => !explained.has(number))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('is promised row by row: an error never has a reason that its row does not list', () => {
    for (const error of platformErrors) {
      const row = ERROR_TABLE.find(({ kind }) => error instanceof kind);
      const { reason } = seen(error);
      if (reason !== undefined) expect(row?.reason?.possible).toContain(reason);
    }
  });
});
