import { Logger } from '@nestjs/common';
import { Args, Context, ID, Query, ResolveField, ResolveReference, Resolver } from '@nestjs/graphql';
import { leftOutProjects, type PlatformProject, ProjectIndex } from 'portico/client';
import { Observation } from '../logging/observation.js';
import { AuthPayload } from '../session/session.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import { ProjectConnection } from './project-connection.model.js';
import { placeOf } from './project-cursor.js';
import { projectPage } from './project-page.js';
import { Project } from './project.model.js';
import { ProjectIdsArgs, ProjectsArgs } from './projects.input.js';

@Resolver(() => Project)
export class ProjectsResolver {
  readonly #logger = new Logger(ProjectsResolver.name);
  #hasWarned = false;

  constructor(
    private readonly sessions: SessionService,
    private readonly observation: Observation,
  ) {}

  @Query(() => [Project], { nullable: true, description: 'All projects on the platform.' })
  async projects(@Context() context: RequestContext): Promise<Project[]> {
    return Project.listFrom(await this.#list(context));
  }

  @Query(() => Project, {
    nullable: true,
    description: 'The project with this id, or null if there is none.',
  })
  async project(
    @Context() context: RequestContext,
    @Args('id', { type: () => ID, description: 'The id of the project.' }) id: string,
  ): Promise<Project | undefined> {
    return Project.byId(await this.#list(context)).get(id);
  }

  @Query(() => ID, {
    nullable: true,
    description:
      'The id of the project with exactly this name, or null if there is none. If several projects share the name, the error is CONFLICT.',
  })
  async projectId(
    @Context() context: RequestContext,
    @Args('name', {
      type: () => String,
      description: 'The display name, spelled exactly as on the platform.',
    })
    name: string,
  ): Promise<string | undefined> {
    return new ProjectIndex(await this.#list(context)).idOf(name);
  }

  @Query(() => ProjectConnection, { nullable: true, description: 'The projects, one page at a time.' })
  async projectsConnection(
    @Context() context: RequestContext,
    @Args() page: ProjectsArgs,
  ): Promise<ProjectConnection> {
    // A bad cursor is reported without calling the platform.
    if (typeof page.after === 'string') placeOf(page.after, page.orderBy);
    return projectPage(await this.#list(context), page);
  }

  @Query(() => [ID], {
    nullable: 'itemsAndList',
    description:
      'The ids of the projects with exactly these names, in the same order. Null if no project has the name. If several projects share it, that entry is a CONFLICT.',
  })
  async projectIds(
    @Context() context: RequestContext,
    @Args() { names }: ProjectIdsArgs,
  ): Promise<(string | undefined | Error)[]> {
    const index = new ProjectIndex(await this.#list(context));
    const found = new Map([...new Set(names)].map((name) => [name, idOrError(index, name)]));
    return names.map((name) => found.get(name));
  }

  /** All representations of an operation at once; an id that the platform does not list yields nothing. */
  @ResolveReference()
  async resolveReferences(
    references: readonly { id: unknown }[],
    context: RequestContext,
  ): Promise<(Project | undefined)[]> {
    const known = Project.byId(await this.#list(context));
    return references.map(({ id }) => known.get(id));
  }

  /** However many fields of a request need projects, the platform is called once. */
  #list(context: RequestContext): Promise<PlatformProject[]> {
    return this.sessions.read(context, 'getProjects', async (session, call) => {
      const projects = await session.getProjects(call);
      this.#report(leftOutProjects(projects));
      return projects;
    });
  }

  #report(count: number): void {
    if (count === 0) return;
    this.observation.projectsLeftOut(count);
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn(
      `The platform lists projects without an id or a name (${count} now): they are left out, and counted by portico_projects_left_out_total`,
    );
  }
}

/** GraphQL makes an error of the item where a list has one. */
function idOrError(index: ProjectIndex, name: string): string | undefined | Error {
  try {
    return index.idOf(name);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

@Resolver(() => AuthPayload)
export class AuthPayloadProjectsResolver {
  constructor(private readonly projectsOf: ProjectsResolver) {}

  @ResolveField(() => [Project], { nullable: true, description: 'All projects on the platform.' })
  projects(@Context() context: RequestContext): Promise<Project[]> {
    return this.projectsOf.projects(context);
  }
}
