import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { pathReason } from '../config/own-path.js';
import { errorFacts } from '../errors/to-graphql-error.js';
import { RequestScope } from '../logging/request-scope.js';
import { Observation } from '../logging/observation.js';
import { auditLog } from './audit-log.js';
import { type AuditSink, FileSink, STDOUT_SINK } from './audit-sink.js';

const Sink = Symbol('AuditSink');

async function auditSink({ AUDIT_LOG: destination }: Settings): Promise<AuditSink | undefined> {
  if (destination === 'off') return undefined;
  if (destination === 'stdout') return STDOUT_SINK;
  const logger = new Logger('AuditLog');
  try {
    return await FileSink.open(destination, (message) => {
      logger.error(message);
    });
  } catch (error) {
    throw new Error(`AUDIT_LOG cannot be used: ${pathReason((error as NodeJS.ErrnoException).code)}`, {
      cause: error,
    });
  }
}

/** The audit log. It writes what it observes, and reopens its file on SIGHUP. */
@Module({
  providers: [{ provide: Sink, inject: [Settings], useFactory: auditSink }],
})
export class AuditModule implements OnModuleInit, OnApplicationShutdown {
  readonly #reopen = (): void => {
    this.sink?.reopen();
  };

  constructor(
    @Inject(Sink) private readonly sink: AuditSink | undefined,
    private readonly observation: Observation,
    private readonly scope: RequestScope,
  ) {}

  onModuleInit(): void {
    if (this.sink === undefined) return;
    this.observation.add(
      auditLog(this.sink, { ofRequest: () => this.scope.request() ?? {}, ofError: errorFacts }),
    );
    // Without a file, SIGHUP stops the service, as when a terminal is closed.
    if (this.sink !== STDOUT_SINK) process.on('SIGHUP', this.#reopen);
  }

  async onApplicationShutdown(): Promise<void> {
    process.off('SIGHUP', this.#reopen);
    await this.sink?.close();
  }
}
