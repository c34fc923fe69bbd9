import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { AnswersModule } from '../load/answers.module.js';
import { addHooks, httpAdapter } from './http-server.js';
import { problemsInFiles } from './problems-in-files.js';
import { type Environment } from '../config/environment.js';
import { SettingsModule } from '../config/settings.module.js';
import { PersistedDocuments } from '../graphql/limits/persisted-documents.js';
import { RepeatedQueryRoute } from '../graphql/execution/repeated-query-route.service.js';
import { isForeseen } from '../errors/to-graphql-error.js';
import { ReadinessService } from './readiness.service.js';
import { type Admission } from '../load/admission.js';
import { drainConnections } from '../http/drain.js';
import { ServiceLogger } from '../logging/logger.service.js';
import { LoggingModule } from '../logging/logging.module.js';
import { RequestScope } from '../logging/request-scope.js';
import { ObservationModule } from '../logging/observation.module.js';
import { Observation } from '../logging/observation.js';
import { type Observer } from '../logging/observer.js';
import { openTelemetry } from '../telemetry/telemetry.js';
import { tracingObserver } from '../telemetry/tracing-observer.js';
import { TracingModule } from '../telemetry/tracing.module.js';

/**
 * The service, ready to listen.
 *
 * @param given used instead of the process environment and `.env`.
 * @throws SettingsError that names every setting that cannot be used
 */
export async function createApp(given?: Environment): Promise<NestFastifyApplication> {
  const { settings, environment, module, warnings } = await SettingsModule.read(given, problemsInFiles);
  const scope = new RequestScope();
  const adapter = httpAdapter(settings, scope);
  const server = adapter.getInstance();
  for (const warning of warnings) server.log.warn({ context: 'Settings' }, warning);
  const telemetry = await openTelemetry(settings, environment, (message) => {
    server.log.warn({ context: 'OpenTelemetry' }, message);
  });
  const { tracing } = telemetry;
  const observation = new Observation();
  if (tracing !== undefined) observation.add(tracingObserver(tracing, settings));
  const { admission, turns } = await addHooks(server, settings, scope, tracing);
  observation.add(beginnings(admission));
  const root = AppModule.with(
    module,
    LoggingModule.with(scope),
    AnswersModule.with(turns),
    ObservationModule.with(observation),
    TracingModule.with(telemetry),
  );
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    // The caller prints errors at start in one line; Nest would print a stack as well.
    abortOnError: false,
    bodyParser: false,
    logger: new ServiceLogger(server.log, isForeseen),
  });
  // A trace shows the steps that Apollo takes.
  if (tracing === undefined) app.get(RepeatedQueryRoute, { strict: false }).install(server);
  const persisted = app.get<PersistedDocuments | undefined>(PersistedDocuments, { strict: false });
  admission.addLogoutHashes(persisted?.hashesOf(/logout/i) ?? []);
  const readiness = app.get(ReadinessService);
  admission.isStopping = () => readiness.isStopping;
  drainConnections(server, admission.isStopping);
  return app;
}

/** Tells the admission of each session that begins here, before its first request comes. */
function beginnings({ strangers }: Admission): Observer {
  return {
    sessionEvent: ({ kind, storeKey, error }) => {
      if (kind !== 'logout' && storeKey !== undefined && error === undefined) strangers.meet(storeKey);
    },
  };
}
