import { Logger, UsePipes } from '@nestjs/common';
import { Args, Context, ID, Query, ResolveField, ResolveReference, Resolver } from '@nestjs/graphql';
import { leftOutProjects } from 'portico/client';
import { Observation } from '../logging/observation.js';
import { INPUT_PIPE } from '../session/input.pipe.js';
import { AuthPayload } from '../session/session.model.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import { ProjectConnection } from './project-connection.model.js';
import { ProjectList, Project } from './project.model.js';
import { placeOf, projectPage, searchedForPage } from './project-page.js';
import { ProjectIdsArgs, ProjectsArgs } from './projects.input.js';

@Resolver(() => Project)
@UsePipes(INPUT_PIPE)
export class ProjectsResolver {
  readonly #logger = new Logger(ProjectsResolver.name);
  #hasWarned = false;

  constructor(
    private readonly sessions: SessionService,
    private readonly observation: Observation,
  ) {}

  @Query(() => [Project], { nullable: true, description: 'All projects on the platform.' })
  async projects(@Context() context: RequestContext): Promise<readonly Project[]> {
    return (await this.#list(context)).projects;
  }

  @Query(() => Project, {
    nullable: true,
    description: 'The project with this id, or null if there is none.',
  })
  async project(
    @Context() context: RequestContext,
    @Args('id', { type: () => ID, description: 'The id of the project.' }) id: string,
  ): Promise<Project | undefined> {
    return (await this.#list(context)).project(id);
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
    return (await this.#list(context)).idOf(name);
  }

  @Query(() => ProjectConnection, { nullable: true, description: 'The projects, one page at a time.' })
  async projectsConnection(
    @Context() context: RequestContext,
    @Args() page: ProjectsArgs,
  ): Promise<ProjectConnection> {
    // A bad cursor is reported without calling the platform.
    if (typeof page.after === 'string') placeOf(page.after, page.orderBy);
    const list = await this.#list(context);
    // Others of this document or session may have sorted it in the meantime: then it takes less.
    await context.search?.(searchedForPage(list, page));
    return projectPage(list, page);
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
    const list = await this.#list(context);
    const found = new Map([...new Set(names)].map((name) => [name, idOrError(list, name)]));
    return names.map((name) => found.get(name));
  }

  /** All representations of an operation together; an id that the platform does not list yields nothing. */
  @ResolveReference()
  async resolveReferences(
    references: readonly { id: unknown }[],
    context: RequestContext,
  ): Promise<(Project | undefined)[]> {
    const list = await this.#list(context);
    return references.map(({ id }) => list.project(id));
  }

  /** However many fields of a request need projects, the platform is called once. */
  #list(context: RequestContext): Promise<ProjectList> {
    // Not `getProjects`: others who read by that name expect what the client returns.
    return this.sessions.read(context, 'projectList', async (session, call) => {
      const projects = await session.getProjects(call);
      this.#report(leftOutProjects(projects));
      return ProjectList.of(projects);
    });
  }

  #report(count: number): void {
    if (count === 0) return;
    this.observation.tell('projectsLeftOut', count);
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn(
      `The platform lists projects without an id or a name (${count} now): they are left out, and counted by portico_projects_left_out_total`,
    );
  }
}

/** GraphQL makes an error of the item where a list has one. */
function idOrError(list: ProjectList, name: string): string | undefined | Error {
  try {
    return list.idOf(name);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

@Resolver(() => AuthPayload)
export class AuthPayloadProjectsResolver {
  constructor(private readonly projectsOf: ProjectsResolver) {}

  @ResolveField(() => [Project], { nullable: true, description: 'All projects on the platform.' })
  projects(@Context() context: RequestContext): Promise<readonly Project[]> {
    return this.projectsOf.projects(context);
  }
}
