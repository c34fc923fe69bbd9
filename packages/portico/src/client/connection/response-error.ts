import {
  BackendServerError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  LoginFailedError,
  ObjectAlreadyExistsError,
  PlatformHttpError,
  ResourceNotFoundError,
  SessionError,
  UnknownPlatformError,
} from '../../errors/error-classes.js';
import { type IServerMessages } from '../../errors/iserver-codes.js';
import { PlatformError, type PlatformErrorFacts } from '../../errors/platform-error.js';
import { secretForms, boundedText, containsSecret } from '../../errors/bounded-text.js';
import { readJson, isRecord } from '../../errors/read-json.js';
import { type PlatformResponse } from './platform-response.js';

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

/**
 * 520 to 524 are those of a content delivery network that cannot reach its origin, or gets no usable answer from it.
 */
const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/** Besides these, statuses by which a server or a proxy asks for another try: 598 and 599 are timeouts of proxies. */
const ASK_AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 529, 598, 599]);

/**
 * The typed error for an unsuccessful response (spec: Errors): by its code when it has one, `unknown` when its JSON
 * has no code, `protocol` when it is not JSON. Every response yields an error.
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
  const { code, iserverCode, ticketId, details: further } = payload;
  const iserverMessage = iserverCode === undefined ? undefined : context.iserverMessages.get(iserverCode);
  const details = { ...facts, iserverCode, iserverMessage, ticketId, details: further };
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
 * Whether a 2xx response that contains `ERR` is still an error: its payload has a code of the platform (`ERR…`) and
 * says what happened.
 */
export function isErrorInDisguise(response: PlatformResponse): boolean {
  const { code = '', message, ticketId } = errorPayloadOf(response, []) ?? {};
  return /^ERR\d{1,6}$/.test(code) && (message !== undefined || ticketId !== undefined);
}

/**
 * Whether a gateway reports that the platform is down: by its status, and without a code, since only the platform
 * sends codes.
 */
export function isGatewayFailure(response: PlatformResponse): boolean {
  return GATEWAY_FAILURES.has(response.status) && errorPayloadOf(response, [])?.code === undefined;
}

/**
 * The error payload of a response; undefined when the body is not JSON. A body that starts like an object or a list
 * is parsed whatever its content type, because proxies relabel error bodies. Codes are found whatever the charset;
 * text is not guessed.
 */
function errorPayloadOf(response: PlatformResponse, secrets: readonly string[]): ErrorPayload | undefined {
  try {
    const exact = exactText(response);
    const text = exact ?? response.latin1Text();
    if (!response.mayBeJson && !/^\s*[[{]/.test(text)) return undefined;
    const payload = readErrorPayload(readJson(text).value, secrets, response.status);
    if (exact === undefined) delete payload.details;
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

/** The longest wait that is passed on: a day. */
const MAX_SECONDS = 24 * 3600;

/** The three forms of an HTTP date (RFC 9110, 5.6.7); all are in GMT, although the last does not say so. */
const HTTP_DATES: readonly RegExp[] = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Seconds to wait by `Retry-After`, given as seconds or as an HTTP date; undefined when absent or neither. A fraction
 * is rounded up, and more than a day is a day.
 */
export function retryAfterSeconds(response: PlatformResponse, now: number): number | undefined {
  const text = response.headerValues('retry-after')[0];
  if (text === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds === undefined ? undefined : Math.min(MAX_SECONDS, Math.max(0, Math.ceil(seconds)));
}

function secondsUntil(text: string, now: number): number | undefined {
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}

/** The readable parts of an error payload. */
interface ErrorPayload {
  code?: string;
  message?: string;
  iserverCode?: string;
  ticketId?: string;
  details?: Readonly<Record<string, unknown>>;
}

const WORD = /^[\w.-]{1,64}$/;

/** The platform documents `ERR001` to `ERR0024`. */
const PLATFORM_CODES: readonly number[] = Array.from({ length: 24 }, (_, at) => at + 1);

/**
 * Reads `{code, message, ticketId, iServerCode?}` in all spellings seen on the wire: other letter case or an
 * underscore in a key, a number as a string, the first entry of an `errors` envelope. Anything else yields an empty
 * payload, never an error.
 */
function readErrorPayload(json: unknown, secrets: readonly string[], status: number): ErrorPayload {
  const record = innermost(json);
  if (record === undefined) return {};
  const fields = new Map(Object.entries(record).map(([key, value]) => [spelling(key), value]));
  const payload: ErrorPayload = {};
  const code = word(codeText(fields, status), secrets);
  if (code !== undefined) payload.code = code;
  const message = fields.get('message');
  if (typeof message === 'string') payload.message = boundedText(message, secrets);
  const iserverCode = integerText(fields.get('iservercode'));
  if (iserverCode !== undefined && !containsSecret(iserverCode, secrets)) payload.iserverCode = iserverCode;
  const ticketId = word(fields.get('ticketid'), secrets);
  if (ticketId !== undefined) payload.ticketId = ticketId;
  const further = Object.entries(record).filter(([key]) => !KNOWN_FIELDS.includes(spelling(key)));
  if (further.length > 0) payload.details = boundedRecord(further, secrets, MAX_DETAIL_LEVELS);
  return payload;
}

const KNOWN_FIELDS: readonly string[] = ['code', 'message', 'iservercode', 'ticketid'];

/** Of one object or list among the further fields. */
const MAX_DETAILS = 32;
const MAX_DETAIL_LEVELS = 4;

function spelling(key: string): string {
  return key.toLowerCase().replaceAll('_', '');
}

function boundedRecord(
  entries: readonly (readonly [string, unknown])[],
  secrets: readonly string[],
  levels: number,
): Readonly<Record<string, unknown>> {
  const some = entries.slice(0, MAX_DETAILS);
  return Object.fromEntries(
    some.map(([key, value]) => [boundedText(key, secrets), bounded(value, secrets, levels - 1)]),
  );
}

/** What a secret may hide in is shortened and redacted; what lies deeper than the levels is left out. */
function bounded(value: unknown, secrets: readonly string[], levels: number): unknown {
  if (typeof value === 'string') return boundedText(value, secrets);
  if (typeof value === 'number') return containsSecret(String(value), secrets) ? undefined : value;
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return undefined;
  return Array.isArray(value)
    ? value.slice(0, MAX_DETAILS).map((item) => bounded(item, secrets, levels - 1))
    : boundedRecord(Object.entries(value), secrets, levels);
}

function innermost(json: unknown): Record<string, unknown> | undefined {
  if (!isRecord(json)) return undefined;
  if (json.code !== undefined || !Array.isArray(json.errors)) return json;
  const first: unknown = json.errors[0];
  return isRecord(first) ? first : json;
}

/**
 * With a 4xx, a bare number is taken for `ERR` and that number if the platform has such a code. A larger one is the
 * HTTP status that many gateways repeat, and one beside `details` is the status of a gRPC gateway.
 */
function codeText(fields: ReadonlyMap<string, unknown>, status: number): unknown {
  const code = fields.get('code');
  const number = typeof code === 'string' && /^\d{1,2}$/.test(code) ? Number(code) : code;
  const isOurs = PLATFORM_CODES.includes(number as number) && !fields.has('details');
  return isOurs && status >= 400 && status < 500 ? `ERR${String(number).padStart(3, '0')}` : code;
}

function word(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== 'string' || !WORD.test(value)) return undefined;
  return containsSecret(value, secrets) ? undefined : value;
}

function integerText(value: unknown): string | undefined {
  const text = Number.isInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^-?\d{1,15}$/.test(text.trim()) ? String(Number(text)) : undefined;
}

type CodedErrorClass = new (message: string, facts?: PlatformErrorFacts) => PlatformError;

/** Spec, Errors: the classes by number, because the wire says `ERR014` where the spec says `ERR0014`. */
const CLASS_BY_NUMBER: ReadonlyMap<number, CodedErrorClass> = new Map<number, CodedErrorClass>([
  [2, BackendServerError],
  [3, LoginFailedError],
  [4, ResourceNotFoundError],
  [5, InvalidRequestError],
  [6, InvalidRequestError],
  [7, InvalidRequestError],
  [9, SessionError],
  [13, BackendServerError],
  [14, InsufficientPrivilegesError],
  [15, ObjectAlreadyExistsError],
  [17, InsufficientPrivilegesError],
]);

/** 13: the back-end server cannot be reached; 16: the service is unavailable. */
const TRANSIENT_NUMBERS: ReadonlySet<number> = new Set([13, 16]);

/** The error class for a platform code; any other code is the base class. */
export function errorClassOf(code: string): CodedErrorClass {
  return CLASS_BY_NUMBER.get(codeNumber(code)) ?? PlatformError;
}

/** Whether a code reports a condition that goes away on its own. */
function isTransientCode(code: string): boolean {
  return TRANSIENT_NUMBERS.has(codeNumber(code));
}

/** The number in `ERR<digits>`, regardless of padding; NaN for any other text. */
function codeNumber(code: string): number {
  return Number(/^ERR(\d{1,6})$/i.exec(code)?.[1] ?? NaN);
}
