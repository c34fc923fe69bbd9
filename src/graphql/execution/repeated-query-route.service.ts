import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Settings } from '../../config/settings.js';
import { KnownSessions } from '../../session/known-sessions.js';
import { AnswerTurns } from '../../load/answer-turns.js';
import { FederationAccess, type SentOperation } from '../federation/federation-access.service.js';
import { FEDERATION_SECRET_HEADER } from '../federation/federation-gate.js';
import { AnswerCompletion, type AnswerHead } from '../answer-completion.service.js';
import { contextMaker, type ExecutedQuery, type MakeContext } from '../graphql-context.js';
import { CompiledAnswers } from './compiled-answers.service.js';
import { type AskedOperation, askedOperation, RepeatedQueries } from './repeated-queries.js';

declare module 'fastify' {
  interface FastifyRequest {
    executed?: ExecutedQuery;
  }
}

const PATH = '/graphql';
const OK = 200;

/**
 * Answers a query that Apollo has answered before, with compiled code. Its document is parsed, validated and
 * measured. All that Apollo would still do for it is to hash and look up its text and to call its plugins, none of
 * which affects a plain query: that takes a third of the time of a small request. Every other request goes to
 * Apollo.
 */
@Injectable()
export class RepeatedQueryRoute implements OnModuleInit {
  readonly #queries = new RepeatedQueries();
  readonly #makeContext: MakeContext;

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly compiled: CompiledAnswers,
    private readonly completion: AnswerCompletion,
    private readonly federation: FederationAccess,
    settings: Settings,
    turns: AnswerTurns,
    sessions: KnownSessions,
  ) {
    this.#makeContext = contextMaker(settings, turns, sessions);
  }

  /** Fastify adds hooks to its routes when it starts to listen, which is later. */
  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.decorateRequest('executed');
    server.addHook('preHandler', (request, reply, next) => {
      if (request.routeOptions.url !== PATH) next();
      else void this.#answerOr(next, request, reply);
    });
    server.addHook('onResponse', (request, reply, next) => {
      if (request.executed !== undefined) this.#learn(request.executed, request, reply);
      next();
    });
  }

  async #answerOr(
    next: (error?: Error) => void,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    try {
      // A place reserved for a logout is no place for a query.
      const asked = request.slot.isReserved ? undefined : askedOperation(request);
      const text = asked && (await this.#answer(asked, request, reply));
      if (text === undefined) next();
      else reply.send(text);
    } catch (error) {
      next(error as Error);
    }
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
    const contextValue = this.#makeContext(request, reply);
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

  #learn(executed: ExecutedQuery, request: FastifyRequest, reply: FastifyReply): void {
    const asked = askedOperation(request);
    const contentType = reply.getHeader('content-type');
    // Apollo may still have refused the request, because of its `Accept`.
    if (asked === undefined || reply.statusCode !== OK || typeof contentType !== 'string') return;
    this.#queries.remember(asked, { ...executed, contentType });
  }
}
