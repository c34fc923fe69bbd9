import { Client, fetchExchange, mapExchange } from 'urql';
import { firstCode } from './errors.js';

/** A login on a busy platform may take a while. */
const LONGEST_MS = 30_000;

const inTime: typeof fetch = (input, init) =>
  fetch(input, {
    ...init,
    signal: AbortSignal.any([init?.signal, AbortSignal.timeout(LONGEST_MS)].filter((each) => each != null)),
  });

/**
 * A client without a cache: what a page shows after a login must not be what somebody else saw before it.
 *
 * @param onNoSession called when Portico says that there is no session, whichever query it was.
 */
export function porticoClient(onNoSession: () => void): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'network-only',
    fetch: inTime,
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (firstCode(error) === 'UNAUTHENTICATED') onNoSession();
        },
      }),
      fetchExchange,
    ],
  });
}
