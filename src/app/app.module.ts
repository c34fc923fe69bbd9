import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from '../telemetry/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConsoleModule } from '../console/console.module.js';
import { CredentialsModule } from '../auth/credentials.module.js';
import { GraphQLModule } from '../graphql/execution/graphql.module.js';
import { HealthModule } from './health.module.js';
import { MetricsModule } from '../telemetry/metrics.module.js';
import { PlatformModule } from '../platform/platform.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionModule } from '../session/session.module.js';

/** The only list of modules. */
@Module({
  imports: [
    PlatformModule,
    CredentialsModule,
    SessionModule,
    AuthModule,
    ProjectsModule,
    GraphQLModule,
    HealthModule,
    ConsoleModule,
    MetricsModule,
    AuditModule,
  ],
})
export class AppModule {
  /** @param globals the modules that provide what was created before the application: settings, the scope of a request. */
  static with(...globals: DynamicModule[]): DynamicModule {
    return { module: AppModule, imports: globals };
  }
}
