import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { answerCall, refusalInSession, requireSession, sessionOf } from './answer-call.js';
import { type Platform } from './platform.js';
import { type Answer, toRefusalAnswer } from './answer.js';
import { type Call, headerOf, toCall } from './call.js';
import { callFacts, type FoundRoute, remember, sendStandard, toStandardRequest } from './own-routes.js';
import { readBody } from './request-body.js';
import { type Duplex } from 'node:stream';
import { Refusal } from './errors.js';

/** The time limits of one connection, in milliseconds, so that a slow caller cannot keep it. */
export interface ServerLimits {
  /** Until all headers have arrived. */
  readonly headersTimeout: number;
  /** Until the whole request has arrived. */
  readonly requestTimeout: number;
  /** How often the two limits above are checked. */
  readonly connectionsCheckingInterval: number;
  /** Until a connection without a request is closed. */
  readonly keepAliveTimeout: number;
  /** Until an idle connection is cut, such as one whose answer is not read. */
  readonly inactivityTimeout: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  inactivityTimeout: 90_000,
};

/** The HTTP server of a platform, not yet listening. */
export function createPlatformServer(platform: Platform, limits: ServerLimits = DEFAULT_LIMITS): Server {
  const server = createServer(limits, (request, response) => {
    // This fails only if the connection is gone, so there is no one left to answer.
    respond(platform, request, response).catch(() => request.socket.destroy());
  });
  server.setTimeout(limits.inactivityTimeout);
  server.on('clientError', refuseUnreadable);
  return server;
}

async function respond(
  platform: Platform,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { contextPath, wait, findRoute, onCall, projectIdHeader } = platform.settings;
  const head = toCall(request, Buffer.alloc(0), contextPath);
  const found = findRoute(head.operation);
  let answer: Answer | Response;
  let failure: unknown;
  const user = sessionOf(platform, head)?.iServerSession.account.username;
  try {
    if (found === undefined) {
      const body = await readBody(request);
      answer = answerCall(platform, toCall(request, body, contextPath));
      if (answer.delayMs) await wait(answer.delayMs);
    } else answer = await answerOwnRoute(platform, head, found, request);
  } catch (error) {
    if (request.destroyed && !request.complete) throw error;
    failure = error;
    answer = toRefusalAnswer(error);
  }
  const isOwnFault = found !== undefined && failure !== undefined && !(failure instanceof Refusal);
  remember(
    platform.calls,
    {
      ...callFacts(head),
      projectId: headerOf(head, projectIdHeader),
      user,
      status: answer.status,
      ...(isOwnFault ? { error: failure } : {}),
    },
    onCall,
  );
  await (answer instanceof Response ? sendStandard(answer, response) : send(answer, request, response));
}

async function answerOwnRoute(
  platform: Platform,
  head: Call,
  { route, params }: FoundRoute,
  request: IncomingMessage,
): Promise<Answer | Response> {
  const session = requireSession(platform, head);
  const { username, delayMs } = session.iServerSession.account;
  if (delayMs) await platform.settings.wait(delayMs);
  const refusal = refusalInSession(platform, head, session);
  if (refusal !== undefined) return refusal;
  const projectId = headerOf(head, platform.settings.projectIdHeader);
  return route(toStandardRequest(request), { params, user: username, projectId });
}

async function send(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hasBody = answer.status !== 204;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(hasBody && { 'content-length': Buffer.byteLength(answer.body) }),
    ...(!request.complete && { connection: 'close' }),
    'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
    pragma: 'no-cache',
    expires: '0',
  });
  if (request.complete) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body);
  await discardRest(request);
  response.end();
}

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 1000;

/**
 * Reads and discards the rest of a request that was refused before its end: a connection closed with bytes unread is
 * reset, and the caller would lose the answer. Stops at the end of the request, after 1 MB, or after a second.
 */
export function discardRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(stop, MAX_MS);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', discard).off('close', stop).off('end', stop).pause();
      resolve();
    }
    function discard(chunk: Buffer): void {
      size += chunk.length;
      if (size > MAX_BYTES) stop();
    }
    request.on('data', discard).on('end', stop).on('close', stop).resume();
  });
}

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers a request that is not HTTP, has too large headers or arrives too slowly, in JSON like everything else. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUSES[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const { headers, body } = toRefusalAnswer(new Refusal(status, 'ERR006', `HTTP ${status} ${reason}`));
  const head = [`HTTP/1.1 ${status} ${reason}`, 'connection: close', `content-length: ${body.length}`];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
