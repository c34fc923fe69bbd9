import { type ValidationError } from 'class-validator';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { InvalidRequestError } from 'portico/client';
import { type ErrorCode, type ErrorReason } from 'portico/errors';
import { schemaHint } from './schema-hint.js';

/** How a refusal of GraphQL, Apollo or this service looks. */
export interface RequestError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly reason?: ErrorReason | undefined;
  readonly retryAfter?: number | undefined;
}

/** The libraries' own messages quote the request, passwords included, so each code has a fixed message. */
const FIXED: Readonly<Partial<Record<string, RequestError>>> = {
  GRAPHQL_PARSE_FAILED: { code: 'GRAPHQL_PARSE_FAILED', message: 'The document is not valid GraphQL syntax' },
  GRAPHQL_VALIDATION_FAILED: {
    code: 'GRAPHQL_VALIDATION_FAILED',
    message: 'The document does not match the schema',
  },
  BAD_USER_INPUT: {
    code: 'BAD_USER_INPUT',
    message: 'A value in the request does not have the type that the schema requires',
  },
  BAD_REQUEST: { code: 'BAD_REQUEST', message: 'The request is not a GraphQL request' },
  OPERATION_RESOLUTION_FAILURE: {
    code: 'BAD_REQUEST',
    message: 'The document must have exactly one operation with the requested name',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    code: 'PERSISTED_QUERY_NOT_FOUND',
    message: 'The document is not on the list of allowed documents',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    code: 'PERSISTED_QUERY_NOT_SUPPORTED',
    message: 'Persisted queries are not enabled: send the whole document, without extensions.persistedQuery',
  },
};

/** Messages for what Apollo refuses with a status under one common code. */
const MESSAGES_BY_STATUS = new Map<number | undefined, string>([
  [405, 'GET is for queries only: use POST'],
  [406, 'The Accept header must allow application/json or application/graphql-response+json'],
]);

const VALUE_KINDS: ReadonlySet<string> = new Set([
  Kind.BOOLEAN,
  Kind.ENUM,
  Kind.FLOAT,
  Kind.INT,
  Kind.LIST,
  Kind.NULL,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
  Kind.STRING,
]);
/**
 * What GraphQL finds wrong with a variable only while it executes: null, or no value, where the schema requires
 * one.
 */
const UNFIT_ARGUMENT = /^Argument "\w+" (?:of (?:required|non-null) type|has invalid value) /;
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/;

/**
 * How to report an error in the request itself; undefined for any other error.
 *
 * @param schemaIsPublic whether the message may name parts of the schema, to help developers.
 */
export function requestError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  schemaIsPublic: boolean,
): RequestError | undefined {
  if (!(thrown instanceof GraphQLError)) return undefined;
  const tokens = TOO_MANY_TOKENS.exec(thrown.message)?.[1];
  if (tokens !== undefined) {
    return {
      code: 'GRAPHQL_PARSE_FAILED',
      message: `The document has more than ${tokens} tokens`,
      reason: 'LIMIT_EXCEEDED',
    };
  }
  const fixed = FIXED[codeOf(formatted, thrown)];
  const hint =
    MESSAGES_BY_STATUS.get(httpStatus(thrown)) ?? (schemaIsPublic ? schemaHint(thrown.message) : undefined);
  return fixed && { ...fixed, ...(hint !== undefined && { message: hint }) };
}

function codeOf(formatted: GraphQLFormattedError, thrown: GraphQLError): string {
  const code = String(formatted.extensions?.code);
  // Validation finds a literal of the wrong type, execution a variable: for the caller it is the same mistake.
  if (code === 'GRAPHQL_VALIDATION_FAILED' && VALUE_KINDS.has(String(thrown.nodes?.[0]?.kind))) {
    return 'BAD_USER_INPUT';
  }
  if (UNFIT_ARGUMENT.test(thrown.message)) return 'BAD_USER_INPUT';
  // Some of Apollo's own refusals have a status and no code.
  return code === 'INTERNAL_SERVER_ERROR' && httpStatus(thrown) === 400 ? 'BAD_REQUEST' : code;
}

function httpStatus({ extensions }: GraphQLError): number | undefined {
  return (extensions as { http?: { status?: number } }).http?.status;
}

/**
 * The error for an input that breaks the rules of its class. It names the fields and the rules, and never a value.
 */
export function invalidInput(errors: readonly ValidationError[]): InvalidRequestError {
  return new InvalidRequestError(errors.flatMap((error) => brokenRules(error)).join('; '));
}

/** The first broken rule of each field. */
function brokenRules({ property, constraints, children = [] }: ValidationError): string[] {
  const [rule] = Object.values(constraints ?? {}).slice(-1);
  const nested = children.flatMap((child) => brokenRules(child));
  return rule === undefined && nested.length === 0
    ? [`${property} is not valid`]
    : [rule, ...nested].filter((text) => text !== undefined);
}
