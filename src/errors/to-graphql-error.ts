import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AmbiguousProjectNameError, PlatformError } from 'portico/client';
import { CredentialError } from 'portico/credentials';
import { type ErrorCode, type ErrorReason } from 'portico/errors';
import { ERROR_TABLE } from './error-table.js';
import { requestError, type RequestError } from './request-error.js';
import { ServiceError } from './service-error.js';

/** How many ids an error lists, and the characters of each. */
const MOST_IDS = 10;
const LONGEST_ID = 64;
const UNEXPECTED = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' } as const;

/**
 * The one place where errors become GraphQL errors. Errors not listed here or in the table are masked.
 *
 * @param formatted the error as GraphQL would print it; only its path and locations are kept.
 * @param schemaIsPublic whether the message may name parts of the schema.
 */
export function toGraphQLError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  schemaIsPublic = false,
): GraphQLFormattedError {
  const place = {
    ...(formatted.path && { path: formatted.path }),
    ...(formatted.locations && { locations: formatted.locations }),
  };
  const cause = causeOf(thrown);
  const refused = requestError(formatted, cause, schemaIsPublic);
  return { ...(refused ? fromRequest(refused) : fromFailure(cause)), ...place };
}

/** What a resolver threw, or why a whole request is refused. */
function causeOf(thrown: unknown): unknown {
  const refused = thrown instanceof GraphQLError ? thrown.originalError : undefined;
  return refused instanceof ServiceError ? refused : unwrapResolverError(thrown);
}

/**
 * Maps the errors of this service, of its client and of its credentials, for the `formatError` of another
 * application. Any other error stays as that application has formatted it.
 */
export function porticoFormatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  return isOwnError(causeOf(thrown)) ? toGraphQLError(formatted, thrown) : formatted;
}

/** Whether an error is one of this service, of its client or of its credentials. */
export function isOwnError(error: unknown): boolean {
  return error instanceof PlatformError || error instanceof ServiceError || error instanceof CredentialError;
}

/** How an answer identifies an error: its code, and where known its reason and the platform's code and ticket. */
export function errorFacts(
  error: unknown,
): Record<'code', string> & Record<PossibleFact, string | undefined> {
  const { code, reason, platformCode, ticketId } = toGraphQLError({ message: '' }, error).extensions ?? {};
  return {
    code: String(code),
    reason: textOf(reason),
    platformCode: platformCode === 'N/A' ? undefined : textOf(platformCode),
    ticketId: textOf(ticketId),
  };
}

type PossibleFact = 'reason' | 'platformCode' | 'ticketId';

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether an error can only come from a bug or a hostile caller; such errors are logged in full. */
export function isUnforeseen(error: GraphQLFormattedError): boolean {
  return error.extensions?.code === UNEXPECTED.code;
}

/** Whether the mapping knows an error: it is reported to the caller and needs no operator. */
export function isForeseen(error: unknown): boolean {
  return error instanceof Error && !isUnforeseen(fromFailure(error));
}

function fromRequest({ code, message, reason, retryAfter }: RequestError): GraphQLFormattedError {
  return say(code, message, { ...defined({ reason, retryAfter }), retryable: retryAfter !== undefined });
}

function fromFailure(thrown: unknown): GraphQLFormattedError {
  if (thrown instanceof PlatformError) return fromPlatformError(thrown);
  if (thrown instanceof ServiceError) {
    const { code, publicMessage: message, reason, retryAfter } = thrown;
    return fromRequest({ code, message, reason, retryAfter });
  }
  if (thrown instanceof CredentialError) return fromCredentialError(thrown);
  return say(UNEXPECTED.code, UNEXPECTED.message, { retryable: false });
}

function fromPlatformError(error: PlatformError): GraphQLFormattedError {
  const row = ERROR_TABLE.find(({ kind }) => error instanceof kind);
  if (row === undefined) return say(UNEXPECTED.code, UNEXPECTED.message, { retryable: false });
  const reason = row.reason?.of(error);
  // A wrong user and a wrong password must look the same, so no detail is passed on that could
  // distinguish them. The ticket differs in each answer, and support asks for it.
  if (reason === 'LOGIN_FAILED') {
    const { code: platformCode, ticketId } = error;
    return say(row.code, 'Login failed', {
      ...defined({ reason, platformCode, ticketId }),
      retryable: false,
    });
  }
  return say(row.code, error.message, {
    ...defined({
      reason,
      platformCode: error.code,
      iserverCode: error.iserverCode,
      iserverMessage: error.iserverMessage,
      ticketId: error.ticketId,
      platformStatus: error.status,
      retryAfter: error.retryAfterSeconds,
      ids: error instanceof AmbiguousProjectNameError ? someOf(error.projectIds) : undefined,
    }),
    retryable: error.retryable,
  });
}

/**
 * A text of the platform that is longer than any id of it is left out, never cut: half an id would be another one.
 */
function someOf(ids: readonly string[]): string[] {
  return ids.filter((id) => id.length <= LONGEST_ID).slice(0, MOST_IDS);
}

/** The names of store and secret are for the operator only: they are in the log. */
function fromCredentialError({ reason, retryable }: CredentialError): GraphQLFormattedError {
  return say('CREDENTIAL_UNAVAILABLE', 'A credential of the profile cannot be loaded', {
    reason: `SECRET_${reason}` satisfies ErrorReason,
    retryable,
  });
}

function say(code: ErrorCode, message: string, extensions: Record<string, unknown>): GraphQLFormattedError {
  return { message, extensions: { code, ...extensions } };
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** How the errors of an answer look, with the id of the request that they belong to. */
export class ErrorFormat {
  readonly #schemaIsPublic: boolean;
  readonly #requestId: () => string | undefined;

  constructor(schemaIsPublic: boolean, requestId: () => string | undefined) {
    this.#schemaIsPublic = schemaIsPublic;
    this.#requestId = requestId;
  }

  /** @param formatted the error as GraphQL would print it; only its path and locations are kept. */
  readonly format = (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const error = toGraphQLError(formatted, thrown, this.#schemaIsPublic);
    return { ...error, extensions: { ...error.extensions, requestId: this.#requestId() } };
  };
}
