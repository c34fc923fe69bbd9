import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { type ErrorCode } from '../../errors/error-codes.js';
import { type ErrorReason } from '../../errors/error-reasons.js';
import { schemaHint } from './schema-hint.js';
import { RefusedRequestError } from './refused-request-error.js';

/** What is told of a request that GraphQL, Apollo or this service refuses as a whole. */
export interface RequestError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly reason?: ErrorReason | undefined;
}

/** The libraries' own messages quote the request, passwords included, so each code has a fixed one. */
const FIXED: Readonly<Partial<Record<string, RequestError>>> = {
  GRAPHQL_PARSE_FAILED: { code: 'GRAPHQL_PARSE_FAILED', message: 'The document is not GraphQL' },
  GRAPHQL_VALIDATION_FAILED: {
    code: 'GRAPHQL_VALIDATION_FAILED',
    message: 'The document does not fit the schema',
  },
  BAD_USER_INPUT: {
    code: 'BAD_USER_INPUT',
    message: 'A value of the request is not of the type that the schema wants',
  },
  BAD_REQUEST: { code: 'BAD_REQUEST', message: 'The request is not a GraphQL request' },
  OPERATION_RESOLUTION_FAILURE: {
    code: 'BAD_REQUEST',
    message: 'The document does not hold exactly one operation of the name that was asked for',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    code: 'PERSISTED_QUERY_NOT_FOUND',
    message: 'The document is not one of those that are allowed',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    code: 'PERSISTED_QUERY_NOT_SUPPORTED',
    message: 'Documents are not kept here: send the whole document, without extensions.persistedQuery',
  },
};

/** What Apollo refuses by status, all under one code. */
const MESSAGES_BY_STATUS = new Map<number | undefined, string>([
  [405, 'GET runs queries only: send this by POST'],
  [406, 'Answers are application/json or application/graphql-response+json, and the request accepts neither'],
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
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/;

/**
 * What to tell of an error that lies in the request itself; undefined for any other error.
 *
 * @param schemaIsPublic whether names of the schema may be told, so that a developer sees what is wrong.
 */
export function requestError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  schemaIsPublic: boolean,
): RequestError | undefined {
  if (!(thrown instanceof GraphQLError)) return undefined;
  const refused = thrown instanceof RefusedRequestError ? thrown : thrown.originalError;
  if (refused instanceof RefusedRequestError) return refused;
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
  // A literal of the wrong type is found by validation, a variable by execution: to the caller they are one mistake.
  if (code === 'GRAPHQL_VALIDATION_FAILED' && VALUE_KINDS.has(String(thrown.nodes?.[0]?.kind))) {
    return 'BAD_USER_INPUT';
  }
  // Some of Apollo's own refusals have a status and no code.
  return code === 'INTERNAL_SERVER_ERROR' && httpStatus(thrown) === 400 ? 'BAD_REQUEST' : code;
}

function httpStatus({ extensions }: GraphQLError): number | undefined {
  return (extensions as { http?: { status?: number } }).http?.status;
}
