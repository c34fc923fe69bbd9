import { inspect } from 'node:util';
import { InvalidRequestError } from '../../errors/error-classes.js';
import { ACCEPTED_ENCODINGS } from '../transport/read-body.js';
import { type RequestBody } from '../transport/transport.js';

/** No other space and no tab has a higher code. */
const SPACE = 0x20;

/**
 * One header field.
 * @example
 * const [name, value]: HeaderField = ['etag', '"1"'];
 * console.log(name, value); // etag "1"
 */
export type HeaderField = readonly [name: string, value: string];

/**
 * Response header fields in the order received, with repeated names kept separate. Printing them shows only names,
 * because values contain tokens and cookies; `fields` and `valuesOf` return the values.
 * @example
 * const headers: ResponseHeaders = (await session.request('GET', 'reports')).headers;
 * console.log(headers.valuesOf('Content-Type')); // [ 'application/json' ]
 */
export class ResponseHeaders {
  readonly #fields: readonly HeaderField[];
  readonly #values = new Map<string, string[]>();

  /** @param raw names and values alternating, as in Node's `rawHeaders` */
  constructor(raw: readonly string[]) {
    const fields: HeaderField[] = [];
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      const given = raw[index + 1] ?? '';
      const hasSpace = given.charCodeAt(0) <= SPACE || given.charCodeAt(given.length - 1) <= SPACE;
      const value = hasSpace ? withoutOuterSpace(given) : given;
      fields.push([name, value]);
      const key = name.toLowerCase();
      const values = this.#values.get(key);
      if (values === undefined) this.#values.set(key, [value]);
      else values.push(value);
    }
    this.#fields = fields;
  }

  /** Names as received, and values. */
  get fields(): readonly HeaderField[] {
    return this.#fields;
  }

  /**
   * All values of one name, in any letter case.
   * @param name in any letter case
   */
  valuesOf(name: string): string[] {
    return [...(this.#values.get(name.toLowerCase()) ?? [])];
  }

  /** What `JSON.stringify` and inspection show: the names. */
  toJSON(): string[] {
    return this.#fields.map(([name]) => name);
  }

  [inspect.custom](): string {
    return `ResponseHeaders ${inspect(this.toJSON())}`;
  }
}

/** Space around a value is not part of it (RFC 9110, 5.5); not every HTTP library removes it. */
function withoutOuterSpace(value: string): string {
  return value.replace(/^[\t ]+|[\t ]+$/g, '');
}

const MAX_HELD = 16;
const MAX_BYTES = 4096;

/** The characters of a token or project id that can be sent in a header. */
const FIELD_VALUE = /^[\x21-\x7E]{1,256}$/;

/** Whether a value can be sent in a request header. */
export function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && FIELD_VALUE.test(value);
}

/** The `X-<vendor>-…` headers of one deployment (spec: Request headers). */
export class VendorHeaders {
  readonly authToken: string;
  readonly projectId: string;
  readonly identityToken: string;
  readonly #prefix: string;
  /** Never held among the others: the token is held separately, and an identity token is for another client. */
  readonly #ownFields: ReadonlySet<string>;

  /** @throws TypeError when the vendor segment is not valid in a header name */
  constructor(vendor: string) {
    if (!/^[A-Za-z0-9]{1,32}$/.test(vendor)) throw new TypeError('vendor must be 1 to 32 letters or digits.');
    this.#prefix = `x-${vendor.toLowerCase()}`;
    this.authToken = `X-${vendor}-AuthToken`;
    this.projectId = `X-${vendor}-ProjectID`;
    this.identityToken = `X-${vendor}-IdentityToken`;
    this.#ownFields = new Set([this.authToken, this.identityToken].map((name) => name.toLowerCase()));
  }

  /** Whether a header, in any letter case, belongs to the vendor. */
  owns(name: string): boolean {
    return name.toLowerCase().startsWith(this.#prefix);
  }

  /** The token of a response if it has exactly one well-formed token. */
  tokenOf(headers: ResponseHeaders): string | undefined {
    const values = headers.valuesOf(this.authToken);
    return values.length === 1 && isFieldValue(values[0]) ? values[0] : undefined;
  }

  /** The name of a header that looks like the token of another vendor. */
  otherTokenHeader(headers: ResponseHeaders): string | undefined {
    const names = headers.fields.map(([name]) => name);
    return names.find((name) => /^x-[a-z0-9]{1,32}-authtoken$/i.test(name) && !this.owns(name));
  }

  /**
   * Adds the vendor headers of a response, except the token and an identity token, to those held, under lowercase
   * names. At most 16 headers and 4 KB are held: a header beyond these limits is ignored, and those already held
   * stay.
   * @returns whether the headers held have changed
   */
  capture(held: Map<string, string>, fields: Iterable<readonly [name: string, value: string]>): boolean {
    let hasChanged = false;
    for (const [name, value] of fields) {
      const field = name.toLowerCase();
      if (!field.startsWith(this.#prefix) || this.#ownFields.has(field) || /[^\t\x20-\x7E]/.test(value))
        continue;
      if (held.get(field) === value || (held.size >= MAX_HELD && !held.has(field))) continue;
      const others = [...held].reduce(
        (sum, [key, text]) => sum + (key === field ? 0 : key.length + text.length),
        0,
      );
      if (others + field.length + value.length > MAX_BYTES) continue;
      held.set(field, value);
      hasChanged = true;
    }
    return hasChanged;
  }
}

/**
 * The type of the standard, which Node's own types do not name.
 * @example
 * const headers: HeadersInit = new Headers({ 'accept-language': 'de' });
 * await session.request('GET', 'reports', { headers });
 */
export type HeadersInit = Headers | Readonly<Record<string, string>> | Iterable<readonly [string, string]>;

/** What a request sends in its headers, besides the cookies of each hop. */
export interface FixedHeaders {
  /** The caller's own, under lowercase names. */
  readonly fields: Readonly<Record<string, string>>;
  readonly projectId: string | undefined;
  readonly token: string | undefined;
}

/** Headers that the client sets itself. */
const CLIENT_HEADERS: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'cookie', 'expect', 'host', 'keep-alive'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** The headers of one hop. */
export function hopHeaders(
  { fields, projectId, token }: FixedHeaders,
  body: RequestBody | undefined,
  cookie: string,
  names: VendorHeaders,
): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': 'portico',
    ...(body?.contentType === undefined ? {} : { 'content-type': body.contentType }),
    ...fields,
    'accept-encoding': ACCEPTED_ENCODINGS,
  };
  if (body === undefined) delete headers['content-type'];
  if (projectId !== undefined) headers[names.projectId] = projectId;
  if (token !== undefined) headers[names.authToken] = token;
  if (cookie !== '') headers.cookie = cookie;
  return headers;
}

/**
 * The caller's own headers, under lowercase names.
 * @throws InvalidRequestError when one is unusable, or is the client's to set
 */
export function callerFields(
  given: HeadersInit,
  names: VendorHeaders,
  body: RequestBody | undefined,
): Record<string, string> {
  const fields: Record<string, string> = {};
  const entries =
    Symbol.iterator in given ? [...(given as Iterable<[string, string]>)] : Object.entries(given);
  for (const entry of entries) {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const field = fieldName(name, names);
    fields[field] =
      field in fields ? `${fields[field]}, ${fieldValue(field, value)}` : fieldValue(field, value);
  }
  const contentType = fields['content-type'];
  const isForm = body?.contentType?.startsWith('multipart/') === true;
  if (isForm && contentType !== undefined && contentType !== body.contentType) {
    throw new InvalidRequestError('Leave out content-type with FormData: it needs the boundary of the body.');
  }
  return fields;
}

function fieldName(name: unknown, names: VendorHeaders): string {
  const field = typeof name === 'string' ? name.toLowerCase() : '';
  if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(field)) {
    throw new InvalidRequestError('An additional request header has an unusable name.');
  }
  const isReserved = [names.authToken, names.projectId].some((reserved) => reserved.toLowerCase() === field);
  if (CLIENT_HEADERS.has(field) || isReserved) {
    throw new InvalidRequestError(`The request header ${field} is set by the client itself.`);
  }
  return field;
}

function fieldValue(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x20-\x7E]{0,4096}$/.test(value)) return value;
  throw new InvalidRequestError(`The request header ${name} has an unusable value.`);
}
