import cors from '@fastify/cors';
import { type FastifyInstance } from 'fastify';
import { securityHeaders } from './security-headers.js';

const PREFLIGHT_SECONDS = 600;

/** What browsers may do across origins. */
export interface BrowserAccess {
  /** Exact origins that may read answers and send cookies. */
  readonly origins: readonly string[];
  /** Request headers that pages may set, besides `content-type`. */
  readonly requestHeaders: readonly string[];
}

/** Sets the security headers for browsers; an origin that is not listed gets no CORS header. */
export async function protect(
  server: FastifyInstance,
  { origins, requestHeaders }: BrowserAccess,
): Promise<void> {
  const headers = securityHeaders();
  server.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
  await server.register(cors, {
    delegator: (request, done) => {
      const { origin } = request.caller;
      if (origin === undefined || !origins.includes(origin)) {
        done(null, { origin: false });
        return;
      }
      done(null, {
        origin,
        credentials: true,
        methods: ['GET', 'POST'],
        allowedHeaders: ['content-type', ...requestHeaders],
        exposedHeaders: ['x-request-id', 'retry-after'],
        maxAge: PREFLIGHT_SECONDS,
      });
    },
  });
}
