import { errorPayloadOf } from './error-body.js';
import { isPassingCode, kindOfCode } from '../../errors/error-codes.js';
import { type IServerMessages } from '../../errors/iserver-messages.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { PlatformHttpError, UnknownPlatformError } from '../../errors/error-classes.js';
import { type PlatformResponse } from './platform-response.js';
import { secretForms } from '../../errors/secret-forms.js';
import { retryAfterSeconds } from './retry-after.js';

/** What translating an answer needs besides the answer. */
export interface TranslationContext {
  readonly iserverMessages: IServerMessages;
  /** What the call sent in confidence, struck out wherever the platform echoes it. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The typed error of an answer that is not a success (spec: Errors): by its code when it has one, unknown when its JSON
 * names none, an HTTP error when it is not JSON. Total: whatever the answer, an error comes out.
 */
export function errorOfResponse(response: PlatformResponse, context: TranslationContext): PlatformError {
  const { status } = response;
  const facts = {
    status,
    retryAfterSeconds: retryAfterSeconds(response, context.now),
    retryable: PASSING_STATUSES.has(status),
  };
  const payload = errorPayloadOf(response, secretForms(context.secrets));
  if (payload === undefined || (status < 400 && payload.code === undefined)) {
    return new PlatformHttpError(`The platform answered HTTP ${status} without an error payload.`, facts);
  }
  const { code, iserverCode, ticketId } = payload;
  const iserverMessage = iserverCode === undefined ? undefined : context.iserverMessages.get(iserverCode);
  const details = { ...facts, iserverCode, iserverMessage, ticketId };
  const message = payload.message ?? `The platform answered HTTP ${status} without a message.`;
  if (code === undefined) return new UnknownPlatformError(message, details);
  const retryable = facts.retryable || isPassingCode(code);
  return new (kindOfCode(code))(message, { ...details, code, retryable });
}
