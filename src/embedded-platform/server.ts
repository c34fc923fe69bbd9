import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { type Answer } from './wire/answer.js';
import { answerCall, toRefusalAnswer } from './operations/answer-call.js';
import { toCall } from './wire/call.js';
import { drain } from './wire/drain.js';
import { type Platform } from './sessions/platform.js';
import { readBody } from './wire/request-body.js';
import { refuseUnreadable } from './wire/unreadable-request.js';

/** The HTTP server of a platform, not yet listening. */
export function createPlatformServer(platform: Platform): Server {
  const server = createServer({ requestTimeout: 15_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 });
  server.on('request', (request, response) => {
    // What is thrown here comes from a connection that is gone: there is nobody to tell.
    respond(platform, request, response).catch(() => request.socket.destroy());
  });
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
  const bodyless = answer.status === 204;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(bodyless ? {} : { 'content-length': Buffer.byteLength(answer.body) }),
    ...(request.complete ? {} : { connection: 'close' }),
    'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
    pragma: 'no-cache',
    expires: '0',
  });
  if (request.complete) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body);
  await drain(request);
  response.end();
}
