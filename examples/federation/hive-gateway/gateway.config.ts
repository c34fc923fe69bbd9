/**
 * Hive Gateway in front of Portico: hive-gateway supergraph supergraph.graphql -c gateway.config.ts
 *
 * FEDERATION_SECRET, SESSION_HEADER and CORS_ORIGINS have the same values as in Portico, whose TRUSTED_PROXIES lists the
 * address of this gateway. SUBGRAPH_TIMEOUT_MS is how long a subgraph may take.
 */
import { type IncomingMessage } from 'node:http';
import { defineConfig, type GatewayPlugin } from '@graphql-hive/gateway';
import { type GraphQLError } from 'graphql';

const SESSION_HEADER = process.env.SESSION_HEADER ?? 'authorization';
/** The pages that may ask with cookies. By default, Hive Gateway would let every page. */
const PAGES = (process.env.CORS_ORIGINS ?? '').split(',').filter(Boolean);
/** Portico checks the origin before it lets a cookie change anything. */
const FORWARDED = [SESSION_HEADER, 'cookie', 'origin', 'sec-fetch-site', 'x-request-id', 'x-forwarded-proto'];

const TIMEOUT_MS = Number(process.env.SUBGRAPH_TIMEOUT_MS ?? 30_000);

/** Portico counts failed logins by the caller's address, and not by that of this gateway. */
function callerAddress(headers: Headers, { req }: { req?: IncomingMessage }): string {
  return [headers.get('x-forwarded-for'), req?.socket.remoteAddress].filter(Boolean).join(', ');
}

/** A subgraph that cannot be reached is an error with a code, and without its address. */
const reportUnreachable: GatewayPlugin = {
  onFetch({ fetchFn, setFetchFn }) {
    setFetchFn(async (url, options, ...rest) => {
      // Portico notices and aborts its call to the platform.
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const signal = AbortSignal.any([timeout, ...(options?.signal ? [options.signal] : [])]);
      try {
        const response = await fetchFn(url, { ...options, signal }, ...rest);
        const isAnswer = response.ok || /json/.test(response.headers.get('content-type') ?? '');
        return isAnswer ? response : failure('UPSTREAM_UNAVAILABLE', 'A part of the graph does not work');
      } catch {
        return timeout.aborted
          ? failure('UPSTREAM_TIMEOUT', 'A part of the graph took too long')
          : failure('UPSTREAM_UNAVAILABLE', 'A part of the graph cannot be reached');
      }
    });
  },
};

function failure(code: string, message: string): Response {
  return Response.json({ errors: [{ message, extensions: { code, retryable: true } }] });
}

/** Hive Gateway repeats the error of an entity wherever a field of the operation refers to it. */
const eachErrorOnce: GatewayPlugin = {
  onExecute: () => ({
    onExecuteDone({ result, setResult }) {
      if (!('errors' in result) || result.errors === undefined) return;
      const errors = new Map<string, GraphQLError>();
      for (const error of result.errors) {
        const { message, path, extensions } = error;
        const key = JSON.stringify([path?.[0], message, extensions]);
        if (!errors.has(key)) errors.set(key, error);
      }
      setResult({ ...result, errors: [...errors.values()] });
    },
  }),
};

export const gatewayConfig = defineConfig({
  cors: (request) => {
    const origin = request.headers.get('origin');
    if (origin === null || !PAGES.includes(origin)) return false;
    return { origin, credentials: true, exposedHeaders: ['x-request-id', 'retry-after', 'date'] };
  },
  propagateHeaders: {
    fromClientToSubgraphs({ request: { headers }, subgraphName, context }) {
      // No other subgraph needs the handle.
      if (subgraphName !== 'portico') return {};
      return {
        ...Object.fromEntries(FORWARDED.map((name) => [name, headers.get(name)])),
        'x-forwarded-for': callerAddress(headers, context),
        'x-federation-secret': process.env.FEDERATION_SECRET,
      };
    },
    fromSubgraphsToClient({ response: { headers }, subgraphName }) {
      if (subgraphName !== 'portico') return {};
      return {
        'set-cookie': headers.getSetCookie(),
        'retry-after': headers.get('retry-after'),
        'cache-control': 'private, no-store',
      };
    },
    deduplicateHeaders: true,
  },
  plugins: () => [reportUnreachable, eachErrorOnce],
  // Requests are shared only between callers whose headers are identical, including the handle and the cookie.
  inboundInflightRequestDeduplication: true,
});
