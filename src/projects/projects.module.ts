import { Module } from '@nestjs/common';
import { SessionModule } from '../session/session.module.js';
import { AuthPayloadProjectsResolver, ProjectsResolver } from './projects.resolver.js';

@Module({ imports: [SessionModule], providers: [ProjectsResolver, AuthPayloadProjectsResolver] })
export class ProjectsModule {}
