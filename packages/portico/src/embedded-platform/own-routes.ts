import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Call } from './call.js';

/**
 * What a route of your own knows besides the request.
 * @example
 * const whoAsks = (_request: Request, { user }: EmbeddedRouteContext): Response => new Response(user);
 * await using platform = await startEmbeddedPlatform({ routes: { 'GET who': whoAsks } });
 */
export interface EmbeddedRouteContext {
  /** The decoded parts of the path that the route names, such as `id` in `GET reports/{id}`. */
  readonly params: Readonly<Record<string, string>>;
  /** Who is logged in: a name of the logins, or `Guest`. */
  readonly user: string;
  /** The project that the call names. */
  readonly projectId: string | undefined;
}

/**
 * A route of your own. It is asked only within a session, like the operations of the platform.
 * @example
 * const report: EmbeddedRoute = (_request, { params }) => Response.json({ id: params.id, name: 'Sales' });
 * await using platform = await startEmbeddedPlatform({ routes: { 'GET reports/{id}': report } });
 */
export type EmbeddedRoute = (request: Request, context: EmbeddedRouteContext) => Response | Promise<Response>;

/** The route that a call asks for, and the parts of its path. */
export interface FoundRoute {
  readonly route: EmbeddedRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a call; undefined if it is none of them. */
export type FindRoute = (operation: string) => FoundRoute | undefined;

const OPERATION = /^(?:GET|POST|PUT|PATCH|DELETE) (?!\/)[^\s?#]+$/;

/** @throws TypeError that names an unusable route */
export function readRoutes(routes: Readonly<Record<string, EmbeddedRoute>>): FindRoute {
  const known = Object.entries(routes).map(([name, route]) => {
    if (!OPERATION.test(name) || typeof (route as unknown) !== 'function') {
      throw new TypeError(
        `Option routes: "${name}" must be a method and a path such as "GET reports/{id}", with a function.`,
      );
    }
    const pattern = name.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    return { pattern: new RegExp(`^${pattern}$`), route };
  });
  return (operation) => {
    for (const { pattern, route } of known) {
      const found = pattern.exec(operation);
      if (found !== null) return { route, params: decoded(found.groups ?? {}) };
    }
    return undefined;
  };
}

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, decodeURIComponent(part)]));
}

/** The request in the form of the standard; its body arrives as it is read. */
export function toStandardRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  });
}

/** Sends a response of the standard; its body is sent as it arrives. */
export async function sendStandard(answer: Response, response: ServerResponse): Promise<void> {
  const headers: Record<string, string | string[]> = { 'cache-control': 'no-store' };
  for (const [name, value] of answer.headers) headers[name] = value;
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  response.writeHead(answer.status, headers);
  if (answer.body === null) {
    response.end();
    return;
  }
  const body = Readable.fromWeb(answer.body);
  await new Promise<void>((resolve, reject) => {
    body.on('error', reject);
    response.on('close', () => {
      body.destroy();
      resolve();
    });
    body.pipe(response);
  });
}

/**
 * One call that the platform has answered.
 * @example
 * const onCall = ({ method, path }: EmbeddedCall): void => console.log(method, path);
 * await using platform = await startEmbeddedPlatform({ onCall });
 */
export interface EmbeddedCall {
  /** HTTP method. */
  readonly method: string;
  /** Below the context path, without a leading `/`. */
  readonly path: string;
  /** As it was sent, without the `?`. */
  readonly query: string;
  /** The project that the call names. */
  readonly projectId: string | undefined;
  /** Who was logged in: a name of the logins, or `Guest`; undefined for a call without a session. */
  readonly user: string | undefined;
  /** HTTP status of the answer. */
  readonly status: number;
  /** What a route of your own threw; the answer is then 500. */
  readonly error?: unknown;
}

/** Of the calls, as many as this are remembered; the oldest are forgotten. */
const MOST_CALLS = 1000;

/** Remembers a call, and reports it. */
export function remember(
  calls: EmbeddedCall[],
  call: EmbeddedCall,
  onCall: (call: EmbeddedCall) => void,
): void {
  calls.push(call);
  if (calls.length > MOST_CALLS) calls.shift();
  onCall(call);
}

/** What a call says of itself. */
export function callFacts({ operation, query }: Call): Pick<EmbeddedCall, 'method' | 'path' | 'query'> {
  const [method = '', path = ''] = operation.split(' ', 2);
  return { method, path, query: query.toString() };
}
