import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from '../telemetry/audit.module.js';
import { ConsoleModule } from '../console/console.module.js';
import { MetricsModule } from '../telemetry/metrics.module.js';
import { PorticoModule, type PorticoOptions } from './portico.module.js';

/** The standalone service: the first application that mounts Portico. */
@Module({ imports: [ConsoleModule, MetricsModule, AuditModule] })
export class AppModule {
  /** @param others modules of what exists before the application: the limits of its server, readiness, GraphQL. */
  static with(portico: PorticoOptions, ...others: DynamicModule[]): DynamicModule {
    return { module: AppModule, imports: [PorticoModule.forRoot(portico), ...others] };
  }
}
