import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { pino } from 'pino';
import { bodyLimits } from './body-limits.js';
import { AnswerTurns } from '../load/answer-turns.js';
import { type Settings } from '../config/settings.js';
import { leadBrowsersToConsole } from '../console/lead-browsers.js';
import { readDocumentIds } from '../graphql/limits/document-id.js';
import { Admission } from '../load/admission.js';
import { holdAnswered } from '../load/hold-answered.js';
import { type LoopPace } from '../load/loop-pace.js';
import { addAnswerHeaders, REQUEST_ID_HEADER } from '../http/answer-headers.js';
import { boundInFlight } from '../load/bound-in-flight.js';
import { answerBadAddress, answerBrokenHttp } from '../http/broken-request.js';
import { HttpAdapter } from '../http/http.adapter.js';
import { readJsonBodies } from '../http/json-body.js';
import { limitBodies, serverLimit } from '../http/limit-bodies.js';
import { isProbe } from '../http/probes.js';
import { protect } from '../http/protect.js';
import { readCallers } from '../http/read-callers.js';
import { readJsonOnly } from '../http/read-json-only.js';
import { refuseEarly } from '../load/refuse-early.js';
import { requestId } from '../http/request-id.js';
import { trustedProxies } from '../http/trusted-proxies.js';
import { UnsentAnswers } from '../load/unsent-answers.js';
import { standardOutput } from '../logging/standard-output.js';
import { logOptions } from '../logging/log-options.js';
import { logRequests } from '../logging/log-requests.js';
import { type RequestScope } from '../logging/request-scope.js';
import { parseTraceParent } from '../logging/trace-parent.js';
import { traceRequests } from '../telemetry/request-spans.js';
import { type Tracing } from '../telemetry/tracing.js';

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
    genReqId: requestId(REQUEST_ID_HEADER),
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
    loggerInstance: pino(logOptions(settings.LOG_LEVEL, scope.request), standardOutput()),
    // Every line has the ids of its request from the scope, so no logger is created for each request.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
  });
}

/** What the hooks share with the application. */
export interface ServerParts {
  readonly admission: Admission;
  readonly turns: AnswerTurns;
}

/** Adds every hook, in the order in which a request meets them. */
export async function addHooks(
  server: FastifyInstance,
  settings: Settings,
  scope: RequestScope,
  tracing: Tracing | undefined,
): Promise<ServerParts> {
  if (tracing !== undefined) traceRequests(server, tracing);
  const traceIdOf = ({ headers }: FastifyRequest): string | undefined =>
    tracing?.traceId ?? parseTraceParent(headers.traceparent)?.traceId;
  // In the one spelling by which callers are counted. It is read after the log begins, and never if the headers were refused.
  logRequests(
    server,
    scope,
    traceIdOf,
    ({ caller, ip }) => (caller as FastifyRequest['caller'] | undefined)?.address ?? ip,
  );
  const admission = admissionTo(server, settings);
  const turns = answerTurns(server, admission.pace);
  addAnswerHeaders(server);
  readCallers(server, {
    sessionHeader: settings.SESSION_HEADER,
    allowedHosts: settings.ALLOWED_HOSTS,
    trustsProxies: settings.TRUSTED_PROXIES.length > 0,
  });
  readJsonOnly(server);
  limitBodies(server, bodyLimits(settings));
  readJsonBodies(server, ({ caller, passage }, bytes) => admission.enter(caller, passage, bytes));
  await protect(server, {
    origins: settings.CORS_ORIGINS,
    requestHeaders: [settings.SESSION_HEADER, REQUEST_ID_HEADER, ...CLIENT_HEADERS, ...settings.CORS_HEADERS],
  });
  if (settings.hasConsole) leadBrowsersToConsole(server);
  boundInFlight(server, admission);
  refuseEarly(server, admission);
  holdAnswered(server, admission, isProbe);
  readDocumentIds(server);
  return { admission, turns };
}

function admissionTo(server: FastifyInstance, settings: Settings): Admission {
  const { MAX_IN_FLIGHT: inFlight, MAX_IN_FLIGHT_PER_SESSION: perSession } = settings;
  const admission = new Admission({ inFlight, perSession });
  server.server.on('connection', admission.pace.connected);
  return admission;
}

/** Large answers are made only while there is room for those that have not been read yet. */
function answerTurns(server: FastifyInstance, pace: LoopPace): AnswerTurns {
  const unsent = new UnsentAnswers();
  const turns = new AnswerTurns(unsent.hasRoom, pace.beginHeavy);
  unsent.onRoom = () => {
    turns.schedule();
  };
  unsent.watch(server);
  return turns;
}
