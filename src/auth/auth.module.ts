import { Module } from '@nestjs/common';
import { SessionModule } from '../session/session.module.js';
import { AuthResolver } from './auth.resolver.js';
import { IdentityTokenResolver } from './identity-token.resolver.js';
import { AuthService } from './auth.service.js';
import { LoginLimits, LoginWatch } from './login-limits.service.js';

@Module({
  imports: [SessionModule],
  providers: [AuthResolver, IdentityTokenResolver, AuthService, LoginLimits, LoginWatch],
  exports: [LoginWatch],
})
export class AuthModule {}
