import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger, pino } from 'pino';
import { AppModule } from './app.module.js';
import { problemsInFiles } from './problems-in-files.js';
import { type Environment } from '../config/environment.js';
import { type Settings } from '../config/settings.js';
import { SettingsModule } from '../config/settings.module.js';
import { PersistedDocuments } from '../graphql/limits/persisted-documents.js';
import { PersistedDocumentsModule } from '../graphql/limits/persisted-documents.module.js';
import { GraphQLModule } from '../graphql/execution/graphql.module.js';
import { isForeseen } from '../errors/to-graphql-error.js';
import { HealthModule } from './health.module.js';
import { LoadModule } from '../load/load.module.js';
import { ServiceLogger } from '../logging/logger.service.js';
import { logOptions, logRequests, RequestScope } from '../logging/log-requests.js';
import { openTelemetry } from '../telemetry/open-telemetry.js';
import { tracingObserver } from '../telemetry/tracing-observer.js';
import { TracingModule } from '../telemetry/tracing.module.js';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { leadBrowsersToConsole } from '../console/lead-browsers.js';
import { routerCheck } from '../graphql/federation/federation-gate.js';
import { readDocumentIds } from '../graphql/limits/document-id.js';
import { trustedProxies } from '../http/address.js';
import { addAnswerHeaders, REQUEST_ID_HEADER, requestId, allowOrigins } from '../http/answer-headers.js';
import { answerBadAddress, answerBrokenHttp } from '../http/broken-request.js';
import { readCallers } from '../http/caller.js';
import { HttpAdapter } from '../http/http.adapter.js';
import { acceptJsonOnly, readJsonBodies } from '../http/json-body.js';
import { type BodyLimits, limitBodies, serverLimit } from '../http/limit-bodies.js';
import { limitLoad, type Load } from '../load/limit-load.js';
import { standardOutput } from '../logging/standard-output.js';
import { parseTraceParent } from '../logging/trace-parent.js';
import { traceRequests } from '../telemetry/request-spans.js';
import { type Tracing } from '../telemetry/tracing.js';

/**
 * A logger of Nest that writes to a pino of the application: the lines of Portico keep their fields, and errors that
 * are part of an answer are not logged as faults. For `app.useLogger`.
 */
export function porticoLogger(lines: Logger): LoggerService {
  return new ServiceLogger(lines, isForeseen);
}

/** What a document mentions that may ask for a logout. */
const LOGOUT = /logout/i;

/**
 * The service, ready to listen.
 *
 * @param given used instead of the process environment and `.env`.
 * @throws SettingsError that names every setting that cannot be used
 * @throws PersistedDocumentsError that names the file that cannot be used
 */
export async function createApp(given?: Environment): Promise<NestFastifyApplication> {
  const { settings, environment, warnings } = await SettingsModule.read(given, problemsInFiles);
  const documents = await persistedDocuments(settings);
  const scope = new RequestScope();
  const stopping = new AbortController();
  const adapter = httpAdapter(settings, scope);
  const server = adapter.getInstance();
  for (const warning of warnings) server.log.warn({ context: 'Settings' }, warning);
  const telemetry = await openTelemetry(settings, environment, (message) => {
    server.log.warn({ context: 'OpenTelemetry' }, message);
  });
  const { tracing } = telemetry;
  const load = await addHooks(server, settings, {
    scope,
    tracing,
    logoutHashes: documents?.hashesOf(LOGOUT) ?? [],
    isStopping: () => stopping.signal.aborted,
  });
  const observers = tracing === undefined ? [] : [tracingObserver(tracing, settings)];
  const root = AppModule.with(
    { settings, environment, scope, load, observers },
    LoadModule.with(load),
    TracingModule.with(telemetry),
    PersistedDocumentsModule.with(documents),
    HealthModule.with(stopping),
    GraphQLModule.with({ showsSteps: tracing !== undefined }),
  );
  return NestFactory.create<NestFastifyApplication>(root, adapter, {
    // The caller prints errors at start in one line; Nest would print a stack as well.
    abortOnError: false,
    bodyParser: false,
    logger: new ServiceLogger(server.log, isForeseen),
  });
}

async function persistedDocuments({
  PERSISTED_DOCUMENTS: folder,
}: Settings): Promise<PersistedDocuments | undefined> {
  return folder === undefined ? undefined : PersistedDocuments.read(folder);
}

/** How long the headers of a request, and the whole request, may take on the wire. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** How often Node looks for connections that are over these limits; its default is 30 s. */
const CONNECTIONS_CHECK_MS = 1_000;
/** What common GraphQL clients and tracers send on their own. */
const CLIENT_HEADERS = [
  'accept',
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
function httpAdapter(settings: Settings, scope: RequestScope): HttpAdapter {
  return new HttpAdapter({
    bodyLimit: serverLimit(bodyLimits(settings)),
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECK_MS },
    forceCloseConnections: 'idle',
    // A request that comes while the port closes, over a connection that a balancer has kept, would be lost.
    return503OnClosing: false,
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
interface ServerOptions {
  readonly scope: RequestScope;
  readonly tracing: Tracing | undefined;
  /** Of the documents by whose hash a logout may be asked for. */
  readonly logoutHashes: readonly string[];
  readonly isStopping: () => boolean;
}

/** Adds every hook, in the order in which a request meets them. */
async function addHooks(
  server: FastifyInstance,
  settings: Settings,
  { scope, tracing, logoutHashes, isStopping }: ServerOptions,
): Promise<Load> {
  if (tracing !== undefined) traceRequests(server, tracing);
  logRequests(server, scope, traceIdOf(tracing));
  addAnswerHeaders(server, isStopping);
  readCallers(server, {
    sessionHeader: settings.SESSION_HEADER,
    isRouter: routerCheck(settings.FEDERATION_SECRET),
    cookieSite: settings.SESSION_COOKIE_SITE,
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
  return ({ headers: { traceparent } }) =>
    tracing?.traceId ?? (traceparent === undefined ? undefined : parseTraceParent(traceparent)?.traceId);
}

/** A router requests many entities together; without a secret, no caller can be recognized as a router. */
function bodyLimits(settings: Settings): BodyLimits {
  const usual = settings.HTTP_BODY_LIMIT_BYTES;
  return {
    usual,
    large: settings.FEDERATION_SECRET === undefined ? usual : settings.FEDERATION_BODY_LIMIT_BYTES,
    mayBeLarge: routerCheck(settings.FEDERATION_SECRET) ?? (() => false),
  };
}
