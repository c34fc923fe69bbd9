import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { ConsoleModule } from './console/console.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { GraphQLModule } from './graphql/graphql.module.js';
import { HealthModule } from './health/health.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PlatformModule } from './platform.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { SessionModule } from './session/session.module.js';

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
  ],
})
export class AppModule {
  /** @param settings the module that gives the settings to all others. */
  static with(settings: DynamicModule): DynamicModule {
    return { module: AppModule, imports: [settings] };
  }
}
