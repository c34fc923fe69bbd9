import { InvalidRequestError, PlatformHttpError } from '../../errors/error-classes.js';
import { isPlatformError } from '../../errors/error-guards.js';
import { callerFields } from '../connection/headers.js';
import { resolveBelow } from '../connection/paths.js';
import { type OpenResponse } from '../connection/open-response.js';
import { type RequestBody } from '../transport/transport.js';
import { bytesBody, standardBody, streamBody } from './request-body.js';
import {
  requireBodyAllowed,
  requireCallOptions,
  requireMethod,
  requireProjectId,
  type CallOptions,
  type SessionRequest,
} from './request.js';
import { type SessionCore } from './session-core.js';

/**
 * The options of `fetch`, and those of a call of the session. What means something to browsers only does nothing.
 * @example
 * const init: SessionFetchInit = { method: 'POST', body: 'text', timeoutMs: 1000 };
 * console.log((await session.fetch('reports', init)).status); // 201
 */
export interface SessionFetchInit extends RequestInit, Omit<CallOptions, 'signal' | 'onLarge'> {
  /** Sent as `X-<vendor>-ProjectID`, like a header of that name. */
  projectId?: string | null | undefined;
  /** Whether the token is sent; unless false, there must be one. Default true. */
  includeAuth?: boolean | undefined;
}

/**
 * `fetch` by the rules of a session; it can be passed on without the session.
 * @example
 * const names = async (fetch: SessionFetch): Promise<unknown> => (await fetch('reports')).json();
 * console.log(await names(session.fetch)); // [ { id: 'R1', name: 'Sales' } ]
 */
export type SessionFetch = (input: string | URL | Request, init?: SessionFetchInit) => Promise<Response>;

/** Sends a request of a session, and once more if the session was logged in again for it. */
export type InSession = <R>(request: SessionRequest, send: () => Promise<R>) => Promise<R>;

/** The implementation of `PlatformSession.fetch`. */
export async function sessionFetch(
  core: SessionCore,
  input: string | URL | Request,
  init: SessionFetchInit | null | undefined,
  inSession: InSession,
): Promise<Response> {
  const request = await readFetch(core, input, init ?? {});
  const { signal } = request.options;
  signal?.throwIfAborted();
  try {
    return toStandard(await inSession(request, () => core.open(request)), request, core);
  } catch (error) {
    // As in any fetch, an aborted call rejects with the reason of the signal.
    if (isPlatformError(error) && error.kind === 'cancelled' && signal?.aborted === true) throw signal.reason;
    throw error;
  }
}

/** @throws InvalidRequestError when a part of the request is unusable */
async function readFetch(
  core: SessionCore,
  input: string | URL | Request,
  init: SessionFetchInit,
): Promise<SessionRequest> {
  if (typeof (init as unknown) !== 'object')
    throw new InvalidRequestError('The options of fetch must be an object.');
  const from = input instanceof Request ? input : undefined;
  const { vendorHeaders } = core.settings;
  const method = requireMethod((init.method ?? from?.method ?? 'GET').toUpperCase());
  const url = resolveBelow(core.baseUrl, input instanceof Request ? input.url : hrefOf(input));
  const body = await bodyOf(init.body ?? undefined, from);
  const headers = readHeaders(init.headers ?? from?.headers);
  const projectId = init.projectId ?? headers.get(vendorHeaders.projectId) ?? undefined;
  headers.delete(vendorHeaders.projectId);
  const { timeoutMs, queueTimeoutMs, maxResponseBytes, party } = init;
  const signal = init.signal ?? from?.signal ?? undefined;
  if (!headers.has('accept')) headers.set('accept', '*/*');
  return {
    line: { method, url, body: requireBodyAllowed(method, body) },
    fields: callerFields(headers, vendorHeaders, body),
    projectId: requireProjectId(projectId === '' ? undefined : projectId),
    includeAuth: init.includeAuth !== false,
    options: requireCallOptions({ signal, timeoutMs, queueTimeoutMs, maxResponseBytes, party }),
    accepts: () => true,
    maxRedirects: REDIRECTS[init.redirect ?? from?.redirect ?? 'follow'],
  };
}

/** How many redirects are followed; undefined for as many as the client allows, and -1: a redirect is an answer. */
const REDIRECTS: Readonly<Record<RequestRedirect, number | undefined>> = {
  follow: undefined,
  error: 0,
  manual: -1,
};

type RequestRedirect = NonNullable<RequestInit['redirect']>;

function hrefOf(input: unknown): string {
  return input instanceof URL ? input.href : (input as string);
}

/** @throws InvalidRequestError when one is unusable */
function readHeaders(given: unknown): Headers {
  try {
    return new Headers(given as Record<string, string>);
  } catch {
    throw new InvalidRequestError('A request header has an unusable name or value.');
  }
}

/** Up to this size, the body of a `Request` is kept, so that it can be sent again after a new login. */
const KEPT_BYTES = 1024 * 1024;

async function bodyOf(given: unknown, from: Request | undefined): Promise<RequestBody | undefined> {
  if (given !== undefined) {
    const body = standardBody(given);
    if (body !== undefined) return body;
    throw new InvalidRequestError(
      'The body of fetch must be a string, bytes, URLSearchParams, FormData, a Blob or a stream.',
    );
  }
  if (from?.body === undefined || from.body === null) return undefined;
  if (from.bodyUsed) throw new InvalidRequestError('The body of the Request has been used.');
  const chunks = (from.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= KEPT_BYTES) {
    const next = await nextOf(chunks);
    if (next.done === true) return bytesBody(Buffer.concat(start));
    start.push(next.value);
    bytes += next.value.byteLength;
  }
  return streamBody(joined(start, chunks));
}

async function nextOf(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
  try {
    return await chunks.next();
  } catch (cause) {
    throw new InvalidRequestError('The stream that is the body of the request failed.', { cause });
  }
}

async function* joined(
  start: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* start;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Not imported: the import of `node:http` loads the `fetch` of Node, for a program that may never call anything. */
function reasonOf(status: number): string {
  return process.getBuiltinModule('node:http').STATUS_CODES[status] ?? '';
}

/** The constructor of `Response` knows no address. */
function withAddress(response: Response, url: string, redirected: boolean): Response {
  const clone = (): Response => withAddress(Response.prototype.clone.call(response), url, redirected);
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    clone: { value: clone },
  });
}

function toStandard(open: OpenResponse, { line }: SessionRequest, core: SessionCore): Response {
  const { status } = open;
  if (status > 599) {
    open.abandon();
    throw new PlatformHttpError(`The platform answered with HTTP ${status}, which is no status.`, { status });
  }
  const { vendorHeaders } = core.settings;
  const secret = ['set-cookie', vendorHeaders.authToken, vendorHeaders.identityToken].map((name) =>
    name.toLowerCase(),
  );
  const headers = readHeaders(open.headers.fields.filter(([name]) => !secret.includes(name.toLowerCase())));
  const hasBody = line.method !== 'HEAD' && !WITHOUT_BODY.has(status);
  if (!hasBody) open.abandon();
  const init = { status, statusText: reasonOf(status), headers };
  const response = new Response(hasBody ? open.body() : null, init);
  return withAddress(response, open.url, open.url !== line.url.href);
}
