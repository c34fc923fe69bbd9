import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** One request, read to its end. */
export interface Call {
  /** Method and path below the context path, such as `GET sessions/userInfo`; the whole path if it is elsewhere. */
  readonly operation: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function toCall(request: IncomingMessage, body: Buffer, contextPath: string): Call {
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const root = `${contextPath}/`;
  return {
    operation: `${request.method ?? ''} ${path.startsWith(root) ? path.slice(root.length) : path}`,
    query: new URLSearchParams(query),
    headers: request.headers,
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
