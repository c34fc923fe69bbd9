/**
 * Apollo Server with @apollo/gateway in front of Portico: node gateway.ts supergraph.graphql 4000
 *
 * FEDERATION_SECRET, SESSION_HEADER and CORS_ORIGINS have the same values as in Portico, whose TRUSTED_PROXIES lists the
 * address of this gateway. SUBGRAPH_TIMEOUT_MS is how long a subgraph may take.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ApolloGateway, RemoteGraphQLDataSource, type ServiceEndpointDefinition } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import fastifyApollo from '@as-integrations/fastify';
import cors from '@fastify/cors';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';

interface Context {
  readonly request?: FastifyRequest;
  readonly reply?: FastifyReply;
}

const SESSION_HEADER = process.env.SESSION_HEADER ?? 'authorization';
/** The pages that may ask with cookies. */
const PAGES = (process.env.CORS_ORIGINS ?? '').split(',').filter(Boolean);
/** Portico checks the origin before it lets a cookie change anything. */
const FORWARDED = [SESSION_HEADER, 'cookie', 'origin', 'sec-fetch-site', 'x-forwarded-proto'];
const TIMEOUT_MS = Number(process.env.SUBGRAPH_TIMEOUT_MS ?? 30_000);

/**
 * Asks a subgraph. @apollo/gateway makes INTERNAL_SERVER_ERROR of every status but 200 and shows the address of the
 * subgraph, so an answer of GraphQL always has 200 here, and a subgraph that cannot be reached is an error with a code.
 */
async function ask(address: string, init: RequestInit): Promise<Response> {
  try {
    // Portico notices and aborts its call to the platform.
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { body, headers } = response;
    return /json/.test(headers.get('content-type') ?? '')
      ? new Response(body, { headers })
      : failure('UPSTREAM_UNAVAILABLE', 'A part of the graph does not work');
  } catch (error) {
    return (error as Error).name === 'TimeoutError'
      ? failure('UPSTREAM_TIMEOUT', 'A part of the graph took too long')
      : failure('UPSTREAM_UNAVAILABLE', 'A part of the graph cannot be reached');
  }
}

function failure(code: string, message: string): Response {
  return Response.json({ errors: [{ message, extensions: { code, retryable: true } }] });
}

const fetcher = ask as unknown as RemoteGraphQLDataSource['fetcher'];

// No other subgraph needs the handle, so each has its own data source.
function porticoDataSource(url: string | undefined): RemoteGraphQLDataSource<Context> {
  return new RemoteGraphQLDataSource<Context>({
    url,
    fetcher,
    willSendRequest({ request: { http }, context }) {
      const { request } = context as Context;
      for (const name of FORWARDED) {
        const value = request?.headers[name];
        if (typeof value === 'string') http?.headers.set(name, value);
      }
      if (request !== undefined) {
        http?.headers.set('x-request-id', request.id);
        // Portico counts failed logins by the caller's address, and not by that of this gateway.
        const addresses = [request.headers['x-forwarded-for'], request.socket.remoteAddress];
        http?.headers.set('x-forwarded-for', addresses.filter(Boolean).join(', '));
      }
      const secret = process.env.FEDERATION_SECRET;
      if (secret !== undefined) http?.headers.set('x-federation-secret', secret);
    },
    didReceiveResponse({ response, context: { reply } }) {
      for (const name of ['set-cookie', 'retry-after']) {
        const value = response.http?.headers.get(name);
        if (value != null) void reply?.header(name, value);
      }
      void reply?.header('cache-control', 'private, no-store');
      return response;
    },
  });
}

const [, , supergraph = 'supergraph.graphql', port = '4000'] = process.argv;
const gateway = new ApolloGateway({
  supergraphSdl: await readFile(supergraph, 'utf8'),
  buildService: ({ name, url }: ServiceEndpointDefinition) =>
    name === 'portico' ? porticoDataSource(url) : new RemoteGraphQLDataSource({ url, fetcher }),
});
const server = new ApolloServer<Context>({ gateway, includeStacktraceInErrorResponses: false });
await server.start();
const app = Fastify({ requestIdHeader: 'x-request-id', genReqId: () => randomUUID() });
app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
await app.register(cors, {
  origin: PAGES,
  credentials: true,
  exposedHeaders: ['x-request-id', 'retry-after', 'date'],
});
await app.register(fastifyApollo(server), {
  path: '/graphql',
  context: (request, reply) => Promise.resolve({ request, reply }),
});
const url = await app.listen({ host: '127.0.0.1', port: Number(port) });
process.stdout.write(`The gateway is ready at ${url}/graphql\n`);
