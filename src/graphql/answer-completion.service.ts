import { Injectable, Logger } from '@nestjs/common';
import {
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { Settings } from '../config/settings.js';
import { setCookieHeader } from '../http/session-cookie.js';
import { LogLine } from '../logging/logger.service.js';
import { Observation } from '../logging/observation.js';
import { isFault } from '../errors/error-severity.js';
import { isUnforeseen } from '../errors/to-graphql-error.js';
import { type GraphQLContext } from './graphql-context.js';

const OK = 200;
const BAD_REQUEST = 400;
const SERVICE_UNAVAILABLE = 503;
/** The codes of mistakes in a document or its variables. */
const REQUEST_MISTAKES: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

/** A name that a caller chose. GraphQL limits it to letters, digits and underscores, but not in length. */
const LONGEST_NAME = 64;

/** The head of an HTTP answer. */
export interface AnswerHead {
  /** Undefined for 200. */
  status?: number | undefined;
  readonly headers: { set(name: string, value: string): unknown };
}

/** An answer whose data is complete. */
export interface GivenAnswer {
  readonly contextValue: GraphQLContext;
  /** Undefined if the request does not say which operation of its document it means. */
  readonly operation: OperationDefinitionNode | undefined;
  /** The header `Accept` of the request. */
  readonly accept: string | undefined;
  readonly errors: readonly GraphQLFormattedError[];
  /** The errors as they were thrown, in the same order. */
  readonly thrown: readonly GraphQLError[] | undefined;
}

/**
 * Completes each answer: status, no caching, at most one cookie, `Retry-After`, and a log line for unexpected
 * errors.
 */
@Injectable()
export class AnswerCompletion {
  readonly #logger = new Logger('GraphQL');
  #hasWarned = false;

  constructor(
    private readonly settings: Settings,
    private readonly observation: Observation,
  ) {}

  complete(answer: GivenAnswer, http: AnswerHead): void {
    const { operation, contextValue, errors } = answer;
    // Handles and tokens are only in the answers to mutations, whose length must reveal nothing about them.
    if (operation?.operation === OperationTypeNode.QUERY) contextValue.allowCompression();
    http.headers.set('cache-control', 'private, no-store');
    const { cookie, sessionCookie, isRouter } = contextValue;
    // An operation of a router may have several requests here: one that still carries the old cookie must not clear
    // what the login before it has set.
    if (cookie !== undefined && !(isRouter && cookie === 'useless')) {
      if (!sessionCookie.secure) this.#warnOfPlainCookies();
      http.headers.set('set-cookie', setCookieHeader(sessionCookie, cookie));
    }
    if (errors.length > 0) this.#completeErrors(answer, http);
    const code = errors[0]?.extensions?.code;
    this.observation.tell(
      'operationAnswered',
      operation?.operation,
      errors.length === 0 ? undefined : String(code),
    );
  }

  #completeErrors({ errors, thrown, operation, accept, contextValue }: GivenAnswer, http: AnswerHead): void {
    errors.forEach((error, index) => {
      if (isUnforeseen(error)) this.#logger.error(thrown?.[index]?.originalError ?? thrown?.[index]);
      const retryAfter = error.extensions?.retryAfter;
      if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
    });
    const line = errorLine(errors, operation);
    if (errors.some(({ extensions }) => isFault(extensions?.code))) this.#logger.warn(line);
    else this.#logger.log(line);
    // To routers, any other status is a fault of the subgraph, and some then lose its errors.
    http.status = contextValue.isRouter ? OK : answerStatus(http.status, errors, accept);
  }

  #warnOfPlainCookies(): void {
    if (!this.settings.production || this.#hasWarned) return;
    this.#hasWarned = true;
    const fix =
      this.settings.TRUSTED_PROXIES.length === 0
        ? 'Behind a TLS proxy, set TRUSTED_PROXIES.'
        : 'A TLS proxy must send X-Forwarded-Proto: https, from an address in TRUSTED_PROXIES.';
    this.#logger.warn(
      `Session cookies are set without Secure: requests seem to arrive over plain http. ${fix}`,
    );
  }
}

/** The line of the log for an answer with errors: the one that an operator would look at, or the first. */
function errorLine(
  errors: readonly GraphQLFormattedError[],
  operation: OperationDefinitionNode | undefined,
): LogLine {
  const told = errors.find(({ extensions }) => isFault(extensions?.code)) ?? errors[0];
  const { code, reason, platformCode, iserverCode, platformStatus, ticketId } = told?.extensions ?? {};
  return new LogLine('answered with an error', {
    code,
    reason,
    platformCode,
    iserverCode,
    platformStatus,
    ticketId,
    operation: operation?.operation ?? 'none',
    operationName: operation?.name?.value.slice(0, LONGEST_NAME),
    errors: errors.length,
  });
}

/**
 * The HTTP status of an answer with errors. A store that is down is 503. A document that does not match the schema
 * is 400. A client that accepts only `application/json` would treat that as a network failure, so GraphQL over HTTP
 * sends it 200. A document that exceeds a limit is 400 for every client.
 *
 * @param status the status for `application/graphql-response+json` by GraphQL over HTTP; undefined for 200.
 */
function answerStatus(
  status: number | undefined,
  errors: readonly GraphQLFormattedError[],
  accept: string | undefined,
): number | undefined {
  if (errors.some(({ extensions }) => extensions?.code === 'SESSION_STORE_UNAVAILABLE')) {
    return SERVICE_UNAVAILABLE;
  }
  const isMistake = errors.every(
    ({ extensions }) => REQUEST_MISTAKES.has(extensions?.code) && extensions?.reason !== 'LIMIT_EXCEEDED',
  );
  return status === BAD_REQUEST && isMistake && acceptsOnlyPlainJson(accept) ? OK : status;
}

function acceptsOnlyPlainJson(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => (part.split(';', 1)[0] ?? '').trim().toLowerCase());
  return types.every((type) => type === 'application/json');
}
