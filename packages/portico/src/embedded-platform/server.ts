import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { answerCall } from './answer-call.js';
import { type Platform } from './platform.js';
import { type Answer, toRefusalAnswer } from './answer.js';
import { toCall } from './call.js';
import { discardRest } from './discard-rest.js';
import { readBody } from './request-body.js';
import { refuseUnreadable } from './unreadable-request.js';

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
  /** Until an idle connection is cut, such as one whose answer nobody reads. */
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
  const { contextPath, wait } = platform.settings;
  let answer: Answer;
  try {
    const body = await readBody(request);
    answer = answerCall(platform, toCall(request, body, contextPath));
    if (answer.delayMs) await wait(answer.delayMs);
  } catch (error) {
    if (request.destroyed && !request.complete) throw error;
    answer = toRefusalAnswer(error);
  }
  await send(answer, request, response);
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
