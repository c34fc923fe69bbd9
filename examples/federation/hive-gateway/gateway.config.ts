/**
 * Hive Gateway in front of Portico: hive-gateway supergraph supergraph.graphql -c gateway.config.ts
 *
 * FEDERATION_SECRET and SESSION_HEADER have the same values as in Portico. SUBGRAPH_TIMEOUT_MS is how long a subgraph may take.
 */
import { defineConfig } from '@graphql-hive/gateway';

const SESSION_HEADER = process.env.SESSION_HEADER ?? 'authorization';
/** Portico checks the origin before it lets a cookie change anything. */
const FORWARDED = [SESSION_HEADER, 'cookie', 'origin', 'sec-fetch-site', 'x-request-id'];

export const gatewayConfig = defineConfig({
  propagateHeaders: {
    fromClientToSubgraphs({ request, subgraphName }) {
      // No other subgraph needs the handle.
      if (subgraphName !== 'portico') return {};
      return {
        ...Object.fromEntries(FORWARDED.map((name) => [name, request.headers.get(name)])),
        'x-federation-secret': process.env.FEDERATION_SECRET,
      };
    },
    fromSubgraphsToClient({ response, subgraphName }) {
      if (subgraphName !== 'portico') return {};
      return { 'set-cookie': response.headers.getSetCookie(), 'cache-control': 'private, no-store' };
    },
  },
  // Requests are shared only between callers whose headers are identical, including the handle and the cookie.
  inboundInflightRequestDeduplication: true,
  // Portico notices and aborts its call to the platform.
  upstreamTimeout: Number(process.env.SUBGRAPH_TIMEOUT_MS ?? 30_000),
});
