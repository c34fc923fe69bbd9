import { isRecord } from './is-record.js';
import { boundedText, containsSecret } from './bounded-text.js';

/** The readable parts of an error payload. */
export interface ErrorPayload {
  code?: string;
  message?: string;
  iserverCode?: string;
  ticketId?: string;
}

const WORD = /^[\w.-]{1,64}$/;

/** The platform documents `ERR001` to `ERR0024`. */
const PLATFORM_CODES: readonly number[] = Array.from({ length: 24 }, (_, at) => at + 1);

/**
 * Reads `{code, message, ticketId, iServerCode?}` in all spellings seen on the wire: other letter case or an underscore in a key,
 * a number as a string, the first entry of an `errors` envelope. Anything else yields an empty payload, never an error.
 */
export function readErrorPayload(json: unknown, secrets: readonly string[], status: number): ErrorPayload {
  const record = innermost(json);
  if (record === undefined) return {};
  const fields = new Map(
    Object.entries(record).map(([key, value]) => [key.toLowerCase().replaceAll('_', ''), value]),
  );
  const payload: ErrorPayload = {};
  const code = word(codeText(fields, status), secrets);
  if (code !== undefined) payload.code = code;
  const message = fields.get('message');
  if (typeof message === 'string') payload.message = boundedText(message, secrets);
  const iserverCode = integerText(fields.get('iservercode'));
  if (iserverCode !== undefined && !containsSecret(iserverCode, secrets)) payload.iserverCode = iserverCode;
  const ticketId = word(fields.get('ticketid'), secrets);
  if (ticketId !== undefined) payload.ticketId = ticketId;
  return payload;
}

function innermost(json: unknown): Record<string, unknown> | undefined {
  if (!isRecord(json)) return undefined;
  if (json.code !== undefined || !Array.isArray(json.errors)) return json;
  const first: unknown = json.errors[0];
  return isRecord(first) ? first : json;
}

/**
 * With a 4xx, a bare number is taken for `ERR` and that number if the platform has such a code. A larger one is the HTTP status
 * that many gateways repeat, and one beside `details` is the status of a gRPC gateway.
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
  const text = typeof value === 'number' && Number.isInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^-?\d{1,15}$/.test(text.trim()) ? String(Number(text)) : undefined;
}
