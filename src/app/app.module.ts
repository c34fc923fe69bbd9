import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from '../telemetry/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConsoleModule } from '../console/console.module.js';
import { CredentialsModule } from '../auth/credentials.module.js';
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
    ConsoleModule,
    MetricsModule,
    AuditModule,
  ],
})
export class AppModule {
  /** @param others modules of what is created before the application: settings, the scope of a request, readiness. */
  static with(...others: DynamicModule[]): DynamicModule {
    return { module: AppModule, imports: others };
  }
}
