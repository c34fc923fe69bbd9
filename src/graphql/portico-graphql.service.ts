import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Inject, Injectable } from '@nestjs/common';
import { type ScalarsTypeMap } from '@nestjs/graphql';
import { Kind, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { Settings } from '../config/settings.js';
import { refusedRequest, ServiceError } from '../errors/service-error.js';
import {
  addHeader,
  type CallerContext,
  type HostAnswer,
  hostCallerReader,
  hostContext,
  type HostRequest,
  originRefusal,
} from '../http/caller-context.js';
import { UnclearHeaderError } from '../http/address.js';
import { setCookieHeader } from '../http/session-cookie.js';
import { DateTime } from '../session/scalars.js';
import { Observation } from '../logging/observation.js';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

/** The mutations of this service: all of them concern the caller's session. */
const OWN_MUTATIONS = ['login', 'delegate', 'extend', 'logout', 'identityToken'];

/** Injected into the options of a GraphQL module, for {@link porticoContext} and {@link porticoPlugins}. */
@Injectable()
export class Portico {
  readonly #made = new Set<'context' | 'plugins'>();

  constructor(
    @Inject(Settings) readonly settings: Settings,
    @Inject(Observation) readonly observation: Observation,
  ) {}

  /** Notes that a part of the GraphQL options was made, and returns it. */
  with<T>(part: 'context' | 'plugins', made: T): T {
    this.#made.add(part);
    return made;
  }

  /**
   * @param hasSchema whether the application has a GraphQL schema: then our resolvers are in it.
   * @throws Error if a part was not made: there would be no sessions, or cookies that nothing sets or protects.
   */
  requireParts(hasSchema: boolean): void {
    if (this.#made.size === 0 && !hasSchema) return;
    const missing = [
      ...(this.#made.has('context') ? [] : ['context: porticoContext(portico)']),
      ...(this.#made.has('plugins') ? [] : ['plugins: porticoPlugins(portico)']),
    ];
    if (missing.length > 0)
      throw new Error(`The options of the GraphQL module lack ${missing.join(' and ')}: see docs/nest.md`);
  }
}

/** What our resolvers find in the context of a request. */
export interface PorticoContext extends CallerContext {
  /** The request of Express or Fastify. */
  readonly req: HostRequest;
  readonly res: HostAnswer;
}

/**
 * The `scalarsMap` of a GraphQL module: dates are the scalar `DateTime` that Portico's types have. Nest's own has the
 * same name, and a schema cannot have both.
 */
export const porticoScalars: ScalarsTypeMap[] = [{ type: Date, scalar: DateTime }];

/** Express passes an object with both, Fastify passes both. */
type ContextArguments = [{ readonly req: HostRequest; readonly res: HostAnswer }] | [HostRequest, HostAnswer];

/**
 * The `context` of a GraphQL module on Express or Fastify. To add to it, spread what the function returned here
 * returns.
 */
export function porticoContext(portico: Portico): (...args: ContextArguments) => PorticoContext {
  const read = hostCallerReader(portico.settings);
  return portico.with('context', (...args: ContextArguments) => {
    const [req, res] = args.length === 1 ? [args[0].req, args[0].res] : args;
    try {
      return { req, res, ...hostContext(req, res, read) };
    } catch (error) {
      if (!(error instanceof UnclearHeaderError)) throw error;
      throw refusedRequest(new ServiceError('BAD_REQUEST', error.message), BAD_REQUEST);
    }
  });
}

/**
 * The `plugins` of a GraphQL module: they set the session cookie and `Retry-After`, forbid caching what a session was
 * used for, and refuse what a page of a foreign origin sends with the session cookie.
 */
export function porticoPlugins(portico: Portico): ApolloServerPlugin<PorticoContext>[] {
  const { settings, observation } = portico;
  const listener: GraphQLRequestListener<PorticoContext> = {
    didResolveOperation: ({ operation, contextValue }) => {
      const changes =
        operation?.operation === OperationTypeNode.MUTATION &&
        (contextValue.origin.withCookie || selectsOwn(operation));
      const refusal = originRefusal(contextValue, settings.CORS_ORIGINS, changes);
      return refusal === undefined ? Promise.resolve() : Promise.reject(refusedRequest(refusal, FORBIDDEN));
    },
    willSendResponse: ({ operation, contextValue, response: { http, body } }) => {
      const { errors = [] } = body.kind === 'single' ? body.singleResult : body.initialResult;
      const { cookie, open, known, sessionCookie, res } = contextValue;
      if (cookie !== undefined) addHeader(res, 'set-cookie', setCookieHeader(sessionCookie, cookie));
      if (cookie !== undefined || open !== undefined || known !== undefined)
        http.headers.set('cache-control', 'private, no-store');
      const retryAfter = errors.map(({ extensions }) => extensions?.retryAfter).find(isNumber);
      if (retryAfter !== undefined) http.headers.set('retry-after', String(retryAfter));
      const code = errors[0] && String(errors[0].extensions?.code);
      observation.tell('operationAnswered', operation?.operation, code);
      return Promise.resolve();
    },
  };
  return portico.with('plugins', [{ requestDidStart: () => Promise.resolve(listener) }]);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** In fragments too: then it is not worth looking for. */
function selectsOwn({ selectionSet }: OperationDefinitionNode): boolean {
  return selectionSet.selections.some(
    (selection) => selection.kind !== Kind.FIELD || OWN_MUTATIONS.includes(selection.name.value),
  );
}
