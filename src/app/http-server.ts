import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { pino } from 'pino';
import { type Settings } from '../config/settings.js';
import { leadBrowsersToConsole } from '../console/lead-browsers.js';
import { readDocumentIds } from '../graphql/limits/document-id.js';
import { trustedProxies } from '../http/address.js';
import { addAnswerHeaders, REQUEST_ID_HEADER, requestId } from '../http/answer-headers.js';
import { answerBadAddress, answerBrokenHttp } from '../http/broken-request.js';
import { readCallers } from '../http/caller.js';
import { allowOrigins } from '../http/cors.js';
import { HttpAdapter } from '../http/http.adapter.js';
import { acceptJsonOnly, readJsonBodies } from '../http/json-body.js';
import { limitBodies, serverLimit } from '../http/limit-bodies.js';
import { limitLoad, type Load } from '../load/limit-load.js';
import { logOptions } from '../logging/log-options.js';
import { logRequests } from '../logging/log-requests.js';
import { type RequestScope } from '../logging/request-scope.js';
import { standardOutput } from '../logging/standard-output.js';
import { parseTraceParent } from '../logging/trace-parent.js';
import { traceRequests } from '../telemetry/request-spans.js';
import { type Tracing } from '../telemetry/tracing.js';
import { bodyLimits } from './body-limits.js';

/** How long the headers of a request, and the whole request, may take on the wire. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** How often Node looks for connections that are over these limits; its default is 30 s. */
const CONNECTIONS_CHECK_MS = 1_000;
/** What common GraphQL clients and tracers send on their own. */
const CLIENT_HEADERS = [
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-apollo-operation-name',
  'x-graphql-client-name',
  'x-graphql-client-version',
  'graphql-client-name',
  'graphql-client-version',
  'traceparent',
  'tracestate',
];

/** The HTTP server without its hooks. Its log is ready to use. */
export function httpAdapter(settings: Settings, scope: RequestScope): HttpAdapter {
  return new HttpAdapter({
    bodyLimit: serverLimit(bodyLimits(settings)),
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS },
    forceCloseConnections: 'idle',
    trustProxy: trustedProxies(settings.TRUSTED_PROXIES),
    genReqId: requestId,
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
    loggerInstance: pino(logOptions(settings.LOG_LEVEL, scope.request), standardOutput()),
    // Every line has the ids of its request from the scope, so no logger is created for each request.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
  });
}

/** What the hooks share with the application. */
export interface ServerOptions {
  readonly scope: RequestScope;
  readonly tracing: Tracing | undefined;
  /** Of the documents by whose hash a logout may be asked for. */
  readonly logoutHashes: readonly string[];
  readonly isStopping: () => boolean;
}

/** Adds every hook, in the order in which a request meets them. */
export async function addHooks(
  server: FastifyInstance,
  settings: Settings,
  { scope, tracing, logoutHashes, isStopping }: ServerOptions,
): Promise<Load> {
  if (tracing !== undefined) traceRequests(server, tracing);
  logRequests(server, scope, traceIdOf(tracing), addressOf);
  addAnswerHeaders(server, isStopping);
  readCallers(server, {
    sessionHeader: settings.SESSION_HEADER,
    allowsHost: (hostname) => settings.allowsHost(hostname),
    trustsProxies: settings.TRUSTED_PROXIES.length > 0,
  });
  await allowOrigins(server, {
    origins: settings.CORS_ORIGINS,
    requestHeaders: [settings.SESSION_HEADER, REQUEST_ID_HEADER, ...CLIENT_HEADERS, ...settings.CORS_HEADERS],
  });
  if (settings.hasConsole) leadBrowsersToConsole(server);
  acceptJsonOnly(server);
  limitBodies(server, bodyLimits(settings));
  const load = limitLoad(server, {
    inFlight: settings.MAX_IN_FLIGHT,
    perSession: settings.MAX_IN_FLIGHT_PER_SESSION,
    trustsProxies: settings.TRUSTED_PROXIES.length > 0,
    logoutHashes,
    isStopping,
  });
  readJsonBodies(server, load.admit);
  readDocumentIds(server);
  return load;
}

function traceIdOf(tracing: Tracing | undefined): (request: FastifyRequest) => string | undefined {
  return ({ headers }) => tracing?.traceId ?? parseTraceParent(headers.traceparent)?.traceId;
}

/**
 * In the one spelling by which callers are counted. It is read after the log begins, and never if the headers were
 * refused.
 */
function addressOf({ caller, ip }: FastifyRequest): string {
  return (caller as FastifyRequest['caller'] | undefined)?.address ?? ip;
}
