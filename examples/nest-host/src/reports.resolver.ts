import { UseGuards } from '@nestjs/common';
import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Project, type RequestContext, Session, SessionGuard, SessionService } from 'portico-service';
import { Report, REPORTS } from './report.model.js';

@Resolver(() => Report)
export class ReportsResolver {
  constructor(private readonly sessions: SessionService) {}

  /** For everybody: no session is needed. */
  @Query(() => [Report])
  reports(): readonly Report[] {
    return REPORTS;
  }

  /** For callers with a session. The platform is not asked. */
  @Query(() => String)
  @UseGuards(SessionGuard)
  async greeting(@Session() session: RequestContext): Promise<string> {
    const known = await this.sessions.known(session);
    return `You came by ${known?.transport ?? 'nothing'}.`;
  }

  /** The shop's own errors stay the shop's. */
  @Mutation(() => Boolean)
  order(@Args('id', { type: () => ID }) id: string): boolean {
    throw new Error(`The report ${id} is sold out`);
  }

  /** Asks the platform by the caller's session: once, however many reports are listed. */
  @ResolveField(() => Project, { nullable: true })
  async project(@Parent() report: Report, @Session() session: RequestContext): Promise<Project | undefined> {
    const projects = await this.sessions.read(session, 'getProjects', (platform, call) =>
      platform.getProjects(call),
    );
    const found = projects.find(({ name }) => name === report.projectName);
    return found && new Project(found);
  }
}
