import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ActiveTracing, OperationSpansPlugin } from './operation-spans.plugin.js';
import { Telemetry } from './telemetry.js';

/** OpenTelemetry inside the application: its plugin of GraphQL, and the export of what is left at the end. */
@Module({})
export class TracingModule implements OnApplicationShutdown {
  static with(telemetry: Telemetry): DynamicModule {
    return {
      module: TracingModule,
      global: true,
      providers: [
        { provide: Telemetry, useValue: telemetry },
        { provide: ActiveTracing, useValue: telemetry.tracing },
        OperationSpansPlugin,
      ],
      exports: [Telemetry],
    };
  }

  constructor(@Inject(Telemetry) private readonly telemetry: Telemetry) {}

  /** The last answers have ended by now, and their spans with them. */
  async onApplicationShutdown(): Promise<void> {
    await this.telemetry.shutdown();
  }
}
