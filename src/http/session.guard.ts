import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import { SessionError } from 'portico/client';
import { Settings } from '../config/settings.js';
import { type RequestContext } from '../session/request-context.js';
import { SessionService } from '../session/session.service.js';
import {
  type CallerContext,
  contextOf,
  hostCallerReader,
  hostContext,
  type HostAnswer,
  type HostRequest,
  originRefusal,
} from './caller-context.js';
import { restException } from './rest-errors.filter.js';

/** Methods that change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Lets in callers with a session, on routes and on resolvers. It asks the session store and not the platform, so the
 * platform may have ended the session: then the first call says so. A request counts as a use of the session.
 *
 * On routes, others get 401 with code and reason, and a request that changes something by cookie needs an allowed
 * origin, as a mutation does.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  readonly #read: ReturnType<typeof hostCallerReader>;

  constructor(
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(Settings) private readonly settings: Settings,
  ) {
    this.#read = hostCallerReader(settings);
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (execution.getType<string>() !== 'http') {
      await this.#require(graphqlContext(execution));
      return true;
    }
    const http = execution.switchToHttp();
    const request = http.getRequest<HostRequest>();
    const answer = http.getResponse<HostAnswer>();
    try {
      const context = hostContext(request, answer, this.#read);
      const refusal = originRefusal(
        context,
        this.settings.CORS_ORIGINS,
        context.origin.withCookie && !SAFE.includes(request.method ?? ''),
      );
      if (refusal !== undefined) throw refusal;
      await this.#require(context);
      return true;
    } catch (error) {
      throw restException(error, request, answer);
    }
  }

  async #require(context: RequestContext): Promise<void> {
    if (!(await this.sessions.isOpen(context))) throw new SessionError('There is no session: log in first');
  }
}

/**
 * The session of the caller, as {@link SessionService} takes it: on resolvers, and on routes with
 * {@link SessionGuard}.
 *
 * @example
 * ```ts
 * @UseGuards(SessionGuard)
 * @Get('projects')
 * projects(@Session() session: RequestContext) {
 *   return this.sessions.read(session, 'getProjects', (platform, call) => platform.getProjects(call));
 * }
 * ```
 */
export const Session = createParamDecorator((_data: unknown, execution: ExecutionContext): RequestContext => {
  if (execution.getType<string>() !== 'http') return graphqlContext(execution);
  const context = contextOf(execution.switchToHttp().getRequest<HostRequest>());
  if (context === undefined) throw new Error('@Session() needs @UseGuards(SessionGuard) on the route');
  return context;
});

/** Resolvers get the context as their third argument. */
function graphqlContext(execution: ExecutionContext): CallerContext {
  const context = execution.getArgByIndex<Partial<CallerContext> | undefined>(2);
  if (context?.sessionCookie === undefined)
    throw new Error('The GraphQL context has no session: build it with porticoContext');
  return context as CallerContext;
}
