import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import { type FastifyInstance } from 'fastify';

const PREFLIGHT_SECONDS = 600;

/** How browsers may use the service. */
export interface BrowserAccess {
  /** Exact origins that may read answers and send cookies. */
  readonly origins: readonly string[];
  /** Request headers that they may set, besides `content-type`. */
  readonly requestHeaders: readonly string[];
}

/** Sets the headers by which a browser protects its user; whoever is not on the list of origins gets no CORS header. */
export async function protect(
  server: FastifyInstance,
  { origins, requestHeaders }: BrowserAccess,
): Promise<void> {
  await server.register(helmet, {
    // Answers are data: nothing in them is ever to be run, loaded or framed.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
  });
  await server.register(cors, {
    delegator: (request, done) => {
      const { origin } = request.headers;
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
