import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { addHooks, httpAdapter } from './http-server.js';
import { problemsInFiles } from './problems-in-files.js';
import { type Environment } from '../config/environment.js';
import { type Settings } from '../config/settings.js';
import { SettingsModule } from '../config/settings.module.js';
import { PersistedDocuments } from '../graphql/limits/persisted-documents.js';
import { PersistedDocumentsModule } from '../graphql/limits/persisted-documents.module.js';
import { GraphQLModule } from '../graphql/execution/graphql.module.js';
import { isForeseen } from '../errors/to-graphql-error.js';
import { HealthModule } from './health.module.js';
import { Shutdown } from './shutdown.js';
import { LoadModule } from '../load/load.module.js';
import { ServiceLogger } from '../logging/logger.service.js';
import { LoggingModule } from '../logging/logging.module.js';
import { RequestScope } from '../logging/request-scope.js';
import { Observation } from '../logging/observation.js';
import { openTelemetry } from '../telemetry/open-telemetry.js';
import { tracingObserver } from '../telemetry/tracing-observer.js';
import { TracingModule } from '../telemetry/tracing.module.js';

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
  const { settings, environment, module, warnings } = await SettingsModule.read(given, problemsInFiles);
  const documents = await persistedDocuments(settings);
  const scope = new RequestScope();
  const shutdown = new Shutdown();
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
    isStopping: () => shutdown.hasBegun,
  });
  const observation = new Observation();
  if (tracing !== undefined) observation.add(tracingObserver(tracing, settings));
  const root = AppModule.with(
    module,
    LoggingModule.with(scope, observation),
    LoadModule.with(load),
    TracingModule.with(telemetry),
    PersistedDocumentsModule.with(documents),
    HealthModule.with(shutdown),
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
