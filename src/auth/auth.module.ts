import { Module } from '@nestjs/common';
import { SessionModule } from '../session/session.module.js';
import { AuthResolver } from './auth.resolver.js';
import { AuthService } from './auth.service.js';
import { LoginLimits } from './login-limits.service.js';

@Module({ imports: [SessionModule], providers: [AuthResolver, AuthService, LoginLimits] })
export class AuthModule {}
