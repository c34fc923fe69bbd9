import { Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { SessionModule } from '../session/session.module.js';
import { AuthResolver } from './auth.resolver.js';
import { AuthService } from './auth.service.js';
import { countInProcess, countInRedis, FailureCounter } from './failure-counter.js';
import { LoginLimits } from './login-limits.service.js';

/** Failures are counted where the sessions are. */
function failureCounter(settings: Settings): FailureCounter | Promise<FailureCounter> {
  if (settings.SESSION_STORE === 'embedded') return countInProcess();
  const logger = new Logger('LoginLimiter');
  return countInRedis(settings.REDIS_URL ?? '', (message) => {
    logger.warn(message);
  });
}

@Module({
  imports: [SessionModule],
  providers: [
    AuthResolver,
    AuthService,
    LoginLimits,
    { provide: FailureCounter, inject: [Settings], useFactory: failureCounter },
  ],
})
export class AuthModule implements OnApplicationShutdown {
  constructor(@Inject(FailureCounter) private readonly failures: FailureCounter) {}

  async onApplicationShutdown(): Promise<void> {
    await this.failures.close();
  }
}
