import { Args, Context, ID, Query, ResolveField, ResolveReference, Resolver } from '@nestjs/graphql';
import { type PlatformProject, ProjectIndex } from '../client/index.js';
import { AuthPayload } from '../session/auth-payload.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import { Project } from './project.model.js';

@Resolver(() => Project)
export class ProjectsResolver {
  constructor(private readonly sessions: SessionService) {}

  @Query(() => [Project], { nullable: true, description: 'The projects that the platform holds.' })
  async projects(@Context() context: RequestContext): Promise<Project[]> {
    return Project.listFrom(await this.#list(context));
  }

  @Query(() => Project, { nullable: true, description: 'One project by its id; null when there is none.' })
  async project(
    @Context() context: RequestContext,
    @Args('id', { type: () => ID, description: 'The id of the project.' }) id: string,
  ): Promise<Project | undefined> {
    return Project.byId(await this.#list(context)).get(id);
  }

  @Query(() => ID, {
    nullable: true,
    description:
      'The id of the project with exactly this name; null when there is none, CONFLICT when there are two.',
  })
  async projectId(
    @Context() context: RequestContext,
    @Args('name', { type: () => String, description: 'The display name, in exactly this spelling.' })
    name: string,
  ): Promise<string | undefined> {
    return new ProjectIndex(await this.#list(context)).idOf(name);
  }

  /** All representations of an operation at once; an id that the platform does not list gives nothing. */
  @ResolveReference()
  async resolveReferences(
    references: readonly { id: unknown }[],
    context: RequestContext,
  ): Promise<(Project | undefined)[]> {
    const known = Project.byId(await this.#list(context));
    return references.map(({ id }) => known.get(id));
  }

  /** However many fields of a request want projects, the platform is asked once. */
  #list(context: RequestContext): Promise<PlatformProject[]> {
    return this.sessions.read(context, 'getProjects', (session, call) => session.getProjects(call));
  }
}

@Resolver(() => AuthPayload)
export class AuthPayloadProjectsResolver {
  constructor(private readonly projectsOf: ProjectsResolver) {}

  @ResolveField(() => [Project], { nullable: true, description: 'The projects that the platform holds.' })
  projects(@Context() context: RequestContext): Promise<Project[]> {
    return this.projectsOf.projects(context);
  }
}
