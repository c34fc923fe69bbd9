import { StaleConnectionError, type HopRequest, type HopResponse, type Transport } from './transport.js';

/**
 * Sends a request so that a connection that ended while it was idle is not taken for a failure of the platform. A request that
 * may be repeated goes over a kept connection, and once more over a new one if the kept one ended before the first byte of a
 * response. Any other request goes over a new connection at once: nobody could tell whether a first attempt was acted on.
 */
export async function sendOverLiveConnection(
  transport: Transport,
  request: HopRequest,
  mayBeRepeated: boolean,
): Promise<HopResponse> {
  const overNew = { ...request, needsNewConnection: true };
  if (!mayBeRepeated) return transport.send(overNew);
  try {
    return await transport.send(request);
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw error;
    return transport.send(overNew);
  }
}
