import { type Readable } from 'node:stream';
import {
  ProtocolViolation,
  StaleConnectionError,
  type HopRequest,
  type HopResponse,
  type Transport,
} from './transport.js';

/** Request Timeout. */
const NO_REQUEST_ARRIVED = 408;

/**
 * Sends a request so that a connection that ended while it was idle is not taken for a failure of the platform. A
 * request that may be repeated goes over a kept connection, and once more over a new one if the kept one ended before
 * the first byte of a response, or if the server was just giving it up and says so: a balancer answers 408 to a
 * connection without a request, and that may cross the request on its way (RFC 9110, 15.5.9). Any other request goes
 * over a new connection from the start: it could not be known whether a first attempt was acted on.
 * @param call asked before each attempt whether there is time for it; what it throws ends the hop
 * @throws ProtocolViolation for an answer that the library accepts, although it may have misread where the answer
 * ends
 */
export async function sendHop(
  transport: Transport,
  request: HopRequest,
  mayBeRepeated: boolean,
  call: { requireTime(): void },
): Promise<HopResponse> {
  call.requireTime();
  const response = mayBeRepeated
    ? await sendOverKept(transport, request, call)
    : await transport.send({ ...request, needsNewConnection: true });
  const violation = violationOf(response);
  if (violation === undefined) return response;
  discard(response.body);
  throw new ProtocolViolation(violation);
}

/** Over a kept connection, or over a new one if the kept one turns out to have ended. */
async function sendOverKept(
  transport: Transport,
  request: HopRequest,
  call: { requireTime(): void },
): Promise<HopResponse> {
  try {
    const response = await transport.send(request);
    if (response.status !== NO_REQUEST_ARRIVED) return response;
    discard(response.body);
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw error;
  }
  call.requireTime();
  return transport.send({ ...request, needsNewConnection: true });
}

function violationOf({ status, rawHeaders }: HopResponse): ProtocolViolation['code'] | undefined {
  if (status < 200) return 'HPE_INVALID_STATUS';
  const codings: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''];
    if (name.length === TRANSFER_ENCODING.length && name.toLowerCase() === TRANSFER_ENCODING) {
      codings.push(value);
    }
  }
  return codings.length > 0 && areMisread(codings) ? 'HPE_INVALID_TRANSFER_ENCODING' : undefined;
}

const TRANSFER_ENCODING = 'transfer-encoding';

/**
 * Whether transfer codings are empty, or name `chunked` anywhere but at their end. Both libraries then take the
 * chunks for the body and wait for the end of the connection; so they do with a tab beside `chunked`, although HTTP
 * allows one.
 */
function areMisread(fields: readonly string[]): boolean {
  const codings = fields.join(',').toLowerCase();
  const last = codings.slice(codings.lastIndexOf(',') + 1).replace(/^ +| +$/g, '');
  return fields.some((field) => field.trim() === '') || (last !== 'chunked' && codings.includes('chunked'));
}

/** Closes the connection, too. */
export function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}
