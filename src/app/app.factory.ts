import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, LogController } from 'fastify';
import { pino } from 'pino';
import { AppModule } from './app.module.js';
import { AnswerTurns } from '../answers/answer-turns.js';
import { AnswersModule } from '../answers/answers.module.js';
import { problemsInFiles } from './problems-in-files.js';
import { type Environment } from '../config/environment.js';
import { SettingsModule } from '../config/settings.module.js';
import { isForeseen } from '../graphql/errors/to-graphql-error.js';
import { ReadinessService } from '../health/readiness.service.js';
import { addAnswerHeaders, REQUEST_ID_HEADER } from '../http/answer-headers.js';
import { answerBadAddress, answerBrokenHttp } from '../http/broken-request.js';
import { drainConnections } from '../http/drain.js';
import { HttpAdapter } from '../http/http.adapter.js';
import { readJsonBodies } from '../http/json-body.js';
import { refuseInvalidHosts } from '../http/known-host.js';
import { protect } from '../http/protect.js';
import { readJsonOnly } from '../http/read-json-only.js';
import { requestId } from '../http/request-id.js';
import { UnsentAnswers } from '../http/unsent-answers.js';
import { logOptions } from '../logging/log-options.js';
import { logRequests } from '../logging/log-requests.js';
import { ServiceLogger } from '../logging/logger.service.js';
import { LoggingModule } from '../logging/logging.module.js';
import { RequestScope } from '../logging/request-scope.js';

const REQUEST_TIMEOUT_MS = 15_000;
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
 * @param environment used instead of the process environment and `.env`.
 * @throws SettingsError when a setting cannot be used, with all of them named.
 */
export async function createApp(environment?: Environment): Promise<NestFastifyApplication> {
  const { settings, module, warnings } = await SettingsModule.read(environment, problemsInFiles);
  const scope = new RequestScope();
  const adapter = new HttpAdapter({
    bodyLimit: settings.HTTP_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    trustProxy: (_address, hop) => hop < settings.TRUST_PROXY_HOPS,
    genReqId: requestId(REQUEST_ID_HEADER),
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
    loggerInstance: pino(
      logOptions(settings.LOG_LEVEL, scope.requestId),
      // In development the start screen follows what was logged before it; in production nobody waits for the log.
      pino.destination({ fd: process.stdout.fd, sync: !settings.production }),
    ),
    logController: new LogController({ disableRequestLogging: true }),
  });
  const server = adapter.getInstance();
  for (const warning of warnings) server.log.warn({ context: 'Settings' }, warning);
  logRequests(server, scope);
  const turns = turnsOfAnswers(server);
  addAnswerHeaders(server);
  readJsonOnly(server);
  readJsonBodies(server);
  await protect(server, {
    origins: settings.CORS_ORIGINS,
    requestHeaders: [settings.SESSION_HEADER, REQUEST_ID_HEADER, ...CLIENT_HEADERS],
  });
  refuseInvalidHosts(server);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(module, LoggingModule.with(scope), AnswersModule.with(turns)),
    adapter,
    {
      // The caller prints errors at start in one line; Nest would print a stack as well.
      abortOnError: false,
      bodyParser: false,
      logger: new ServiceLogger(server.log, isForeseen),
    },
  );
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
