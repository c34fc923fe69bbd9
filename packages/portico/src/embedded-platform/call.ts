import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** One request, read to its end. */
export interface Call {
  /**
   * Method and path below the context path, such as `GET sessions/userInfo`; the whole path if it is not below it.
   * `HEAD` reads as `GET`: Node leaves the body out of the answer.
   */
  readonly operation: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Scheme and authority of a request target in absolute form, which clients send when they talk to a proxy. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

export function toCall(request: IncomingMessage, body: Buffer, contextPath: string): Call {
  const { method = '', url = '', headers } = request;
  const [path = '', query] = url.replace(ORIGIN, '').split('?', 2);
  const root = `${contextPath}/`;
  const pathBelowRoot = path.startsWith(root) ? path.slice(root.length) : path;
  return {
    operation: `${method === 'HEAD' ? 'GET' : method} ${pathBelowRoot}`,
    query: new URLSearchParams(query),
    headers,
    body,
  };
}

/** A header's value. */
export function headerOf(call: Call, name: string): string | undefined {
  const value = call.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

/** Every value that the request carries for a cookie of that name. */
export function cookiesOf(call: Call, name: string): string[] {
  const pairs = (call.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
