import { Injectable } from '@nestjs/common';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteHandlerMethod,
} from 'fastify';
import { FederationAccess } from '../federation/federation-access.service.js';
import { FEDERATION_SECRET_HEADER } from '../federation/federation-gate.js';
import { type SentOperation } from '../federation/representations.js';
import { Note } from '../../logging/note.js';
import { AnswerCompletion, type AnswerHead } from '../answer-completion.service.js';
import { graphQLContext, type HttpRequest } from '../graphql-context.js';
import { type AskedOperation, askedOperation } from './asked-query.js';
import { CompiledAnswers } from './compiled-answers.service.js';
import { type KnownQuery, RepeatedQueries } from './repeated-queries.js';

const PATH = '/graphql';
const OK = 200;

type Executed = Omit<KnownQuery, 'contentType'>;

/**
 * Answers a query that Apollo has answered before, with compiled code. Its document is parsed, validated and measured. All
 * that Apollo would still do for it is to hash and look up its text and to call its plugins, none of which affects a plain
 * query: that takes a third of the time of a small request. Every other request goes to Apollo.
 */
@Injectable()
export class RepeatedQueryRoute {
  readonly #queries = new RepeatedQueries();
  /** What compiled code has executed for Apollo, by request. */
  readonly #executed = new Note<HttpRequest, Executed>('executed');

  constructor(
    private readonly compiled: CompiledAnswers,
    private readonly completion: AnswerCompletion,
    private readonly federation: FederationAccess,
  ) {}

  /** Runs before Apollo's route; must be called before that is added. */
  install(server: FastifyInstance): void {
    server.addHook('onRoute', (route) => {
      if (route.url === PATH) route.handler = this.#before(route.handler);
    });
  }

  /** Notes that compiled code has executed this request for Apollo. */
  executed(request: HttpRequest, executed: Executed): void {
    this.#executed.set(request, executed);
  }

  #before(apollo: RouteHandlerMethod): RouteHandlerMethod {
    const answer = this.#answer.bind(this);
    const learn = this.#learn.bind(this);
    return async function (request, reply): Promise<unknown> {
      // A place reserved for a logout is no place for a query.
      const asked = request.slot.isReserved ? undefined : askedOperation(request);
      if (asked === undefined) return apollo.call(this, request, reply);
      const text = await answer(asked, request, reply);
      if (text !== undefined) return text;
      const given: unknown = await apollo.call(this, request, reply);
      learn(asked, request, reply);
      return given;
    };
  }

  async #answer(
    asked: AskedOperation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | undefined> {
    const known = this.#queries.find(asked);
    const { variables, accept } = asked;
    if (known === undefined || !this.#mayAsk({ ...known, variables }, request)) return undefined;
    const { schema, document, operation, contentType } = known;
    const contextValue = graphQLContext(request, reply);
    const answer = await this.compiled.answer({ schema, document, operation, contextValue, variables });
    if (answer === undefined) return undefined;
    const { data, errors, thrown } = answer;
    const headers = { set: (name: string, value: string) => reply.header(name, value) };
    const head: AnswerHead = { status: undefined, headers };
    this.completion.complete({ contextValue, operation, accept, errors: errors ?? [], thrown }, head);
    void reply.code(head.status ?? OK).header('content-type', contentType);
    // As Apollo writes it.
    return `${JSON.stringify({ errors, data })}\n`;
  }

  /** If not, the request goes to Apollo, which refuses it. */
  #mayAsk(sent: SentOperation, { headers }: FastifyRequest): boolean {
    const secret = headers[FEDERATION_SECRET_HEADER];
    try {
      this.federation.check(sent, Array.isArray(secret) ? secret.join() : secret);
      return true;
    } catch {
      return false;
    }
  }

  #learn(asked: AskedOperation, request: FastifyRequest, reply: FastifyReply): void {
    const executed = this.#executed.get(request);
    const contentType = reply.getHeader('content-type');
    // Apollo may still have refused the request, because of its `Accept`.
    if (executed === undefined || reply.statusCode !== OK || typeof contentType !== 'string') return;
    this.#queries.remember(asked, { ...executed, contentType });
  }
}
