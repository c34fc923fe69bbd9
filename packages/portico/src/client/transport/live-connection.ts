import { type Readable } from 'node:stream';
import { StaleConnectionError, type HopRequest, type HopResponse, type Transport } from './transport.js';

/** Request Timeout. */
const NO_REQUEST_ARRIVED = 408;

/**
 * Sends a request so that a connection that ended while it was idle is not taken for a failure of the platform. A request that
 * may be repeated goes over a kept connection, and once more over a new one if the kept one ended before the first byte of a
 * response, or if the server was just giving it up and says so: a balancer answers 408 to a connection without a request, and
 * that may cross the request on its way (RFC 9110, 15.5.9). Any other request goes over a new connection at once: nobody could
 * tell whether a first attempt was acted on.
 */
export async function sendOverLiveConnection(
  transport: Transport,
  request: HopRequest,
  mayBeRepeated: boolean,
): Promise<HopResponse> {
  const overNew = { ...request, needsNewConnection: true };
  if (!mayBeRepeated) return transport.send(overNew);
  try {
    const response = await transport.send(request);
    if (response.status !== NO_REQUEST_ARRIVED) return response;
    discard(response.body);
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw error;
  }
  return transport.send(overNew);
}

/** Closes the connection with it. */
function discard(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}
