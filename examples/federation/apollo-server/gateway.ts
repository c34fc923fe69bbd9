/**
 * Apollo Server with @apollo/gateway in front of Portico: node gateway.ts supergraph.graphql 4000
 *
 * FEDERATION_SECRET and SESSION_HEADER have the same values as in Portico. SUBGRAPH_TIMEOUT_MS is how long a subgraph may take.
 */
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { ApolloGateway, RemoteGraphQLDataSource, type ServiceEndpointDefinition } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

interface Context {
  readonly request?: IncomingMessage;
  readonly response?: ServerResponse;
}

const SESSION_HEADER = process.env.SESSION_HEADER ?? 'authorization';
/** Portico checks the origin before it lets a cookie change anything. */
const FORWARDED = [SESSION_HEADER, 'cookie', 'origin', 'sec-fetch-site', 'x-request-id'];
const TIMEOUT_MS = Number(process.env.SUBGRAPH_TIMEOUT_MS ?? 30_000);

// No other subgraph needs the handle, so each has its own data source.
function porticoDataSource(url: string | undefined): RemoteGraphQLDataSource<Context> {
  return new RemoteGraphQLDataSource<Context>({
    url,
    // Portico notices and aborts its call to the platform.
    fetcher: (address, init) =>
      fetch(address, { ...(init as RequestInit), signal: AbortSignal.timeout(TIMEOUT_MS) }),
    willSendRequest({ request, context }) {
      for (const name of FORWARDED) {
        const value = (context as Context).request?.headers[name];
        if (typeof value === 'string') request.http?.headers.set(name, value);
      }
      const secret = process.env.FEDERATION_SECRET;
      if (secret !== undefined) request.http?.headers.set('x-federation-secret', secret);
    },
    didReceiveResponse({ response, context }) {
      const cookie = response.http?.headers.get('set-cookie');
      if (cookie != null) context.response?.setHeader('set-cookie', cookie);
      context.response?.setHeader('cache-control', 'private, no-store');
      return response;
    },
  });
}

const [, , supergraph = 'supergraph.graphql', port = '4000'] = process.argv;
const gateway = new ApolloGateway({
  supergraphSdl: await readFile(supergraph, 'utf8'),
  buildService: ({ name, url }: ServiceEndpointDefinition) =>
    name === 'portico' ? porticoDataSource(url) : new RemoteGraphQLDataSource({ url }),
});
const server = new ApolloServer<Context>({ gateway, includeStacktraceInErrorResponses: false });
const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(port) },
  context: ({ req: request, res: response }) => Promise.resolve({ request, response }),
});
process.stdout.write(`The gateway is ready at ${url}\n`);
