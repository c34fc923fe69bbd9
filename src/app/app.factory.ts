import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { pino } from 'pino';
import { AppModule } from './app.module.js';
import { AnswerTurns } from '../answers/answer-turns.js';
import { AnswersModule } from '../answers/answers.module.js';
import { problemsInFiles } from './problems-in-files.js';
import { type Environment } from '../config/environment.js';
import { SettingsModule } from '../config/settings.module.js';
import { leadBrowsersToConsole } from '../console/lead-browsers.js';
import { readDocumentIds } from '../graphql/documents/document-id.js';
import { PersistedDocuments } from '../graphql/documents/persisted-documents.js';
import { isForeseen } from '../graphql/errors/to-graphql-error.js';
import { ReadinessService } from '../health/readiness.service.js';
import { Admission } from '../http/admission/admission.js';
import { addAnswerHeaders, REQUEST_ID_HEADER } from '../http/answer-headers.js';
import { boundInFlight } from '../http/bound-in-flight.js';
import { answerBadAddress, answerBrokenHttp } from '../http/broken-request.js';
import { drainConnections } from '../http/drain.js';
import { HttpAdapter } from '../http/http.adapter.js';
import { readJsonBodies } from '../http/json-body.js';
import { protect } from '../http/protect.js';
import { readCallers } from '../http/read-callers.js';
import { readJsonOnly } from '../http/read-json-only.js';
import { requestId } from '../http/request-id.js';
import { UnsentAnswers } from '../http/unsent-answers.js';
import { trustedProxies } from '../http/trusted-proxies.js';
import { logOptions } from '../logging/log-options.js';
import { logRequests } from '../logging/log-requests.js';
import { ServiceLogger } from '../logging/logger.service.js';
import { LoggingModule } from '../logging/logging.module.js';
import { RequestScope } from '../logging/request-scope.js';
import { parseTraceParent } from '../logging/trace-parent.js';
import { ObservationModule } from '../observation/observation.module.js';
import { Observation } from '../observation/observation.js';
import { traceRequests } from '../tracing/request-spans.js';
import { openTelemetry } from '../tracing/telemetry.js';
import { tracingObserver } from '../tracing/tracing-observer.js';
import { TracingModule } from '../tracing/tracing.module.js';

/** How long the headers of a request may take on the wire, and all of it. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Node looks for connections that are over these limits only so often; 30 s unless it is set. */
const CONNECTIONS_CHECK_MS = 1_000;
/** What the GraphQL clients and tracers of the field set of their own accord. */
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

/**
 * The service, ready to listen.
 *
 * @param given used instead of the process environment and `.env`.
 * @throws SettingsError when a setting cannot be used, with all of them named.
 */
export async function createApp(given?: Environment): Promise<NestFastifyApplication> {
  const { settings, environment, module, warnings } = await SettingsModule.read(given, problemsInFiles);
  const scope = new RequestScope();
  const adapter = new HttpAdapter({
    bodyLimit: settings.HTTP_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS },
    forceCloseConnections: 'idle',
    trustProxy: trustedProxies(settings.TRUSTED_PROXIES),
    genReqId: requestId(REQUEST_ID_HEADER),
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
    loggerInstance: pino(
      logOptions(settings.LOG_LEVEL, scope.request),
      // In development the start screen follows what was logged before it; in production nobody waits for the log.
      pino.destination({ fd: process.stdout.fd, sync: !settings.production }),
    ),
    logController: new LogController({ disableRequestLogging: true }),
  });
  const server = adapter.getInstance();
  for (const warning of warnings) server.log.warn({ context: 'Settings' }, warning);
  const observation = new Observation();
  const telemetry = await openTelemetry(settings, environment, (message) => {
    server.log.warn({ context: 'OpenTelemetry' }, message);
  });
  const { tracing } = telemetry;
  if (tracing !== undefined) {
    traceRequests(server, tracing);
    observation.add(tracingObserver(tracing, settings));
  }
  const traceIdOf = ({ headers }: FastifyRequest): string | undefined =>
    tracing?.traceId ?? parseTraceParent(headers.traceparent)?.traceId;
  logRequests(server, scope, traceIdOf);
  const turns = turnsOfAnswers(server);
  addAnswerHeaders(server);
  readCallers(server, {
    sessionHeader: settings.SESSION_HEADER,
    allowedHosts: settings.ALLOWED_HOSTS,
    trustsProxies: settings.TRUSTED_PROXIES.length > 0,
  });
  readJsonOnly(server);
  const admission = new Admission({
    inFlight: settings.MAX_IN_FLIGHT,
    perSession: settings.MAX_IN_FLIGHT_PER_SESSION,
  });
  readJsonBodies(server, ({ caller, passage }, bytes) => admission.enter(caller, passage, bytes));
  await protect(server, {
    origins: settings.CORS_ORIGINS,
    requestHeaders: [settings.SESSION_HEADER, REQUEST_ID_HEADER, ...CLIENT_HEADERS, ...settings.CORS_HEADERS],
  });
  if (settings.hasConsole) leadBrowsersToConsole(server);
  boundInFlight(server, admission);
  readDocumentIds(server);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(
      module,
      LoggingModule.with(scope),
      AnswersModule.with(turns),
      ObservationModule.with(observation),
      TracingModule.with(telemetry),
    ),
    adapter,
    {
      // The caller prints errors at start in one line; Nest would print a stack as well.
      abortOnError: false,
      bodyParser: false,
      logger: new ServiceLogger(server.log, isForeseen),
    },
  );
  const persisted = app.get<PersistedDocuments | undefined>(PersistedDocuments, { strict: false });
  admission.addLogoutHashes(persisted?.hashesOf(/logout/i) ?? []);
  const readiness = app.get(ReadinessService);
  drainConnections(server, () => readiness.isStopping);
  return app;
}

/** Large answers are made only while there is room for what their readers have not taken yet. */
function turnsOfAnswers(server: FastifyInstance): AnswerTurns {
  const unsent = new UnsentAnswers();
  const turns = new AnswerTurns(unsent.hasRoom);
  unsent.onRoom = () => {
    turns.schedule();
  };
  unsent.watch(server);
  return turns;
}
