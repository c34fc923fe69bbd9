import cors from '@fastify/cors';
import { type FastifyInstance } from 'fastify';

const PREFLIGHT_SECONDS = 600;

/** What browsers may do across origins. */
export interface BrowserAccess {
  /** Exact origins that may read answers and send cookies. */
  readonly origins: readonly string[];
  /** Request headers that pages may set, besides `content-type`. */
  readonly requestHeaders: readonly string[];
}

/** Tells browsers which pages may read answers; an origin that is not listed gets no CORS header. */
export async function allowOrigins(
  server: FastifyInstance,
  { origins, requestHeaders }: BrowserAccess,
): Promise<void> {
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
