import { type ValidationError } from 'class-validator';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { InvalidRequestError } from 'portico/client';
import { type ErrorCode, type ErrorReason } from 'portico/errors';

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

const TYPE = String.raw`"([\w[\]!.]+)"`;
const SUGGESTION = String.raw`(?: Did you mean [a-z ]*((?:"\w+"(?:, or |, | or )?)+)\?)?$`;
/** The built-in scalars. Any other text before "cannot represent" could be part of the value. */
const SCALAR = '(String|Int|Float|Boolean|ID)';

type Words = (...names: (string | undefined)[]) => string;

/**
 * GraphQL's messages that name a part of the schema, and the same messages without the caller's text.
 * A pattern for a message that quotes a value is anchored at the end, where all text is GraphQL's own.
 */
const HINTS: readonly (readonly [RegExp, Words])[] = [
  [
    new RegExp(`^Cannot query field "\\w+" on type ${TYPE}\\.${SUGGESTION}`),
    (type, names) => `Type "${type}" has no such field${suggest(names)}`,
  ],
  [
    new RegExp(`^Unknown argument "\\w+" on field ${TYPE}\\.${SUGGESTION}`),
    (field, names) => `Field "${field}" has no such argument${suggest(names)}`,
  ],
  [new RegExp(`^Unknown type "\\w+"\\.${SUGGESTION}`), (names) => `There is no such type${suggest(names)}`],
  [
    new RegExp(`^Field ${TYPE} must not have a selection since type ${TYPE} has no subfields`),
    (field, type) => `Field "${field}" of type "${type}" has no fields to select`,
  ],
  [
    new RegExp(`^Field ${TYPE} of type ${TYPE} must have a selection of subfields`),
    (field, type) => `Field "${field}" of type "${type}" needs a selection of its fields`,
  ],
  [
    new RegExp(`^Field ${TYPE} argument ${TYPE} of type ${TYPE} is required, but it was not provided`),
    (field, argument, type) => `Field "${field}" needs the argument "${argument}" of type "${type}"`,
  ],
  [
    new RegExp(`^Variable "\\$\\w+" of type ${TYPE} used in position expecting type ${TYPE}`),
    (given, wanted) => `A variable of type "${given}" is used where "${wanted}" is expected`,
  ],
  [
    new RegExp(`^Variable "\\$\\w+" of (?:required|non-null) type ${TYPE}`),
    (type) => `A variable of type "${type}" is required`,
  ],
  [
    new RegExp(`^Argument ${TYPE} of (?:required|non-null) type ${TYPE}`),
    (argument, type) => `The argument "${argument}" of type "${type}" needs a value`,
  ],
  [new RegExp(`^Expected value of type ${TYPE}, found `), (type) => `A value of type "${type}" is expected`],
  [
    new RegExp(`Expected type ${TYPE} to be an object\\.$`),
    (type) => `An object of type "${type}" is expected`,
  ],
  [
    new RegExp(`Expected non-nullable type ${TYPE} not to be null\\.$`),
    (type) => `A value of type "${type}" must not be null`,
  ],
  [
    new RegExp(`Field ${TYPE} of required type ${TYPE} was not provided\\.$`),
    (field, type) => `The input field "${field}" of type "${type}" is required`,
  ],
  [
    new RegExp(`is not defined by type ${TYPE}\\.${SUGGESTION}`),
    (type, names) => `The input type "${type}" has no such field${suggest(names)}`,
  ],
  [
    new RegExp(`does not exist in ${TYPE} enum\\.${SUGGESTION}`),
    (type, names) => `"${type}" has no such value${suggest(names)}`,
  ],
  [new RegExp(`(?:^|; )${SCALAR} cannot represent `), (type) => `A value of type "${type}" is expected`],
];

/** The message with names of the schema and nothing of the request; undefined if no pattern matches. */
function schemaHint(message: string): string | undefined {
  for (const [pattern, words] of HINTS) {
    const match = pattern.exec(message);
    if (match !== null) return words(...match.slice(1));
  }
  return undefined;
}

function suggest(names: string | undefined): string {
  return names === undefined ? '' : `; did you mean ${names}?`;
}
