import { type ClientRequest, type IncomingMessage } from 'node:http';
import { MAX_INTERIM_RESPONSES, ProtocolViolation } from './transport.js';

/**
 * Makes a request of Node's HTTP client end with its answer. Otherwise bytes that follow a complete answer in the same packet
 * (but not in a later one) would make it fail. A malformed answer ends it as a protocol error.
 */
export function endWithAnswer(request: ClientRequest): void {
  let answer: IncomingMessage | undefined;
  let interimResponses = 0;
  let isRefused = false;
  const emit = request.emit.bind(request) as (event: string, ...args: unknown[]) => boolean;
  const refuse = (code: ProtocolViolation['code']): void => {
    isRefused = true;
    emit('error', new ProtocolViolation(code));
    request.destroy();
  };
  request.emit = (event: string, ...args: unknown[]) => {
    // Whatever is parsed after the refusal does not count, nor does a fault after a complete answer.
    const isLate = isRefused || (event === 'error' && answer?.complete === true);
    return isLate && (event === 'error' || event === 'response') ? false : emit(event, ...args);
  };
  request.on('information', () => {
    interimResponses += 1;
    if (interimResponses === MAX_INTERIM_RESPONSES + 1) refuse('HPE_TOO_MANY_INTERIM');
  });
  request.once('upgrade', (_response, socket) => {
    socket.destroy();
    refuse('HPE_INVALID_STATUS');
  });
  request.prependOnceListener('response', (response) => {
    answer = response;
    if ((response.statusCode ?? 0) < 200) refuse('HPE_INVALID_STATUS');
    // The body that a 204 announces would be read as the next answer on this connection.
    if (announcesForbiddenBody(response)) request.shouldKeepAlive = false;
  });
}

function announcesForbiddenBody({ statusCode, headers }: IncomingMessage): boolean {
  if (statusCode !== 204 && statusCode !== 304) return false;
  return Number(headers['content-length'] ?? 0) !== 0 || headers['transfer-encoding'] !== undefined;
}
