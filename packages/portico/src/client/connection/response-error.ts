import { readErrorPayload, type ErrorPayload } from '../../errors/error-payload.js';
import { errorClassOf, isTransientCode } from '../../errors/platform-codes.js';
import {
  LoginFailedError,
  PlatformHttpError,
  SessionError,
  UnknownPlatformError,
} from '../../errors/error-classes.js';
import { type IServerMessages } from '../../errors/iserver-messages.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { secretForms } from '../../errors/secret-forms.js';
import { readJson } from '../../errors/read-json.js';
import { type PlatformResponse } from './platform-response.js';
import { retryAfterSeconds } from './retry-after.js';

/** What translating a response needs besides the response. */
export interface TranslationContext {
  readonly iserverMessages: IServerMessages;
  /** Secrets that the call sent or the session holds; redacted wherever the platform echoes them. */
  readonly secrets: readonly string[];
  /** Whether the call was a login or a delegation: on any other call `ERR003` concerns the session. */
  readonly isLogin: boolean;
  /** Whether the request lacked a cookie that the platform had set. */
  readonly cookiesWithheld?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** 520 to 524 are those of a content delivery network that cannot reach its origin, or gets no usable answer from it. */
const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/** Besides these, statuses by which a server or a proxy asks for another try: 598 and 599 are timeouts of proxies. */
const ASK_AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 529, 598, 599]);

/**
 * The typed error for an unsuccessful response (spec: Errors): by its code when it has one, `unknown` when its JSON has no
 * code, `protocol` when it is not JSON. Every response yields an error.
 */
export function errorOfResponse(response: PlatformResponse, context: TranslationContext): PlatformError {
  const { status } = response;
  const facts = {
    status,
    retryAfterSeconds: retryAfterSeconds(response, context.now),
    retryable: GATEWAY_FAILURES.has(status) || ASK_AGAIN.has(status),
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
  const retryable = facts.retryable || isTransientCode(code);
  const ErrorOfCode = errorClassOf(code);
  const concernsSession = (ErrorOfCode === LoginFailedError && !context.isLogin) || undefined;
  const isAboutSession = concernsSession === true || ErrorOfCode === SessionError;
  const cookiesWithheld = isAboutSession && context.cookiesWithheld === true ? true : undefined;
  return new ErrorOfCode(message, { ...details, code, retryable, concernsSession, cookiesWithheld });
}

/**
 * Whether a 2xx response is still an error: its payload has a code of the platform (`ERR…`) and says what happened. Most
 * answers need not be parsed to know.
 */
export function isErrorInDisguise(response: PlatformResponse): boolean {
  if (!response.contains('ERR')) return false;
  const { code = '', message, ticketId } = errorPayloadOf(response, []) ?? {};
  return /^ERR\d{1,6}$/.test(code) && (message !== undefined || ticketId !== undefined);
}

/** Whether a gateway reports that the platform is down: by its status, and without a code, since only the platform sends codes. */
export function isGatewayFailure(response: PlatformResponse): boolean {
  return GATEWAY_FAILURES.has(response.status) && errorPayloadOf(response, [])?.code === undefined;
}

/**
 * The error payload of a response; undefined when the body is not JSON. A body that starts like an object or a list is parsed
 * whatever its content type, because proxies relabel error bodies. Codes are found whatever the charset; text is not guessed.
 */
function errorPayloadOf(response: PlatformResponse, secrets: readonly string[]): ErrorPayload | undefined {
  try {
    const exact = exactText(response);
    const text = exact ?? response.latin1Text();
    if (!response.mayBeJson && !/^\s*[[{]/.test(text)) return undefined;
    const payload = readErrorPayload(readJson(text).value, secrets, response.status);
    if (exact === undefined && /[^\x20-\x7E]/.test(payload.message ?? '')) delete payload.message;
    return payload;
  } catch {
    return undefined;
  }
}

function exactText(response: PlatformResponse): string | undefined {
  try {
    return response.text();
  } catch {
    return undefined;
  }
}
