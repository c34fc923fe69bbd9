import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Settings } from '../../config/settings.js';
import { originRefusal } from '../../http/caller-context.js';
import { KnownSessions } from '../../session/handle.js';
import { AnswerTurns } from '../../load/answer-turns.js';
import { AnswerCompletion, type AnswerHead } from '../answer-completion.service.js';
import { contextMaker, type ExecutedOperation, type MakeContext } from '../graphql-context.js';
import { FrequentAnswers } from './frequent-answers.service.js';
import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isFields } from '../limits/document-id.js';
import { writeWithin } from './answer-text.js';

declare module 'fastify' {
  interface FastifyRequest {
    executed?: ExecutedOperation;
  }
}

const PATH = '/graphql';
const OK = 200;

/**
 * Answers a request that Apollo has answered before. Its document is parsed, validated and measured. All that Apollo
 * would still do for it is to hash and look up its text and to call its plugins, none of which affects a plain
 * request: that takes a third of the time of a small query, and a tenth of that of a login. Every other request goes
 * to Apollo.
 */
@Injectable()
export class RepeatedRequestRoute implements OnModuleInit {
  readonly #requests = new RepeatedRequests();
  readonly #makeContext: MakeContext;
  readonly #origins: readonly string[];

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly frequent: FrequentAnswers,
    private readonly completion: AnswerCompletion,
    settings: Settings,
    turns: AnswerTurns,
    sessions: KnownSessions,
  ) {
    this.#makeContext = contextMaker(settings, turns, sessions);
    this.#origins = settings.CORS_ORIGINS;
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
      // Apollo's plugins see to it that a place reserved for a logout is used for nothing else.
      const asked = request.slot.isReserved ? undefined : askedOperation(request);
      const known = asked && this.#requests.find(asked);
      const text = known && (await this.#answer(asked, known, request, reply));
      if (text === undefined) next();
      else reply.send(text);
    } catch (error) {
      next(error as Error);
    }
  }

  async #answer(
    { variables, accept }: AskedOperation,
    known: KnownRequest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | Buffer | undefined> {
    const { schema, document, operation, contentType } = known;
    const contextValue = this.#makeContext(request, reply);
    const changes = operation.operation === OperationTypeNode.MUTATION;
    // Apollo refuses it.
    if (originRefusal(contextValue, this.#origins, changes) !== undefined) return undefined;
    const answer = await this.frequent.answer({ schema, document, operation, contextValue, variables });
    if (answer === undefined) return undefined;
    const { errors, thrown } = answer;
    const text = await writeWithin(contextValue.answer, answer);
    const headers = { set: (name: string, value: string) => reply.header(name, value) };
    const head: AnswerHead = { status: undefined, headers };
    this.completion.complete({ contextValue, operation, accept, errors: errors ?? [], thrown }, head);
    void reply.code(head.status ?? OK).header('content-type', contentType);
    return text;
  }

  #learn(executed: ExecutedOperation, request: FastifyRequest, reply: FastifyReply): void {
    const asked = askedOperation(request);
    const contentType = reply.getHeader('content-type');
    // Apollo may still have refused the request, because of its `Accept`.
    if (asked === undefined || reply.statusCode !== OK || typeof contentType !== 'string') return;
    this.#requests.remember(asked, { ...executed, contentType });
  }
}

/** What decides the answer to a request, besides the variables. */
interface AskedRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  /** The header `Accept`, which chooses the content type. */
  readonly accept: string | undefined;
  /** Whether a router asks: it may ask for what others may not. */
  readonly isRouter: boolean;
}

/** How Apollo answered a request. */
export interface KnownRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly contentType: string;
}

type Known = Omit<AskedRequest, 'query'> & KnownRequest;

const MOST_TEXTS = 200;
/** Operation names, values of `Accept` and kinds of callers with which one text is requested. */
const MOST_VARIANTS = 8;
const MOST_CHARACTERS = 8 * 1024;

/**
 * Requests that Apollo has parsed, validated and answered, by their text. The least recently used one makes room for
 * the next: callers whose texts nobody else sends do not displace those that many send.
 */
export class RepeatedRequests {
  readonly #known = new LRUCache<string, Known[]>({ max: MOST_TEXTS });

  /** How many texts are kept. */
  get size(): number {
    return this.#known.size;
  }

  find(asked: AskedRequest): KnownRequest | undefined {
    return this.#known.get(asked.query)?.find((known) => isAskedAs(known, asked));
  }

  /** Replaces what was known before: Apollo may have parsed the text again. */
  remember(asked: AskedRequest, known: KnownRequest): void {
    const { query, operationName, accept, isRouter } = asked;
    if (query.length + (accept?.length ?? 0) > MOST_CHARACTERS) return;
    const others = (this.#known.get(query) ?? []).filter((other) => !isAskedAs(other, asked));
    this.#known.set(query, [
      ...others.slice(1 - MOST_VARIANTS),
      { operationName, accept, isRouter, ...known },
    ]);
  }
}

function isAskedAs(known: Known, { operationName, accept, isRouter }: AskedRequest): boolean {
  return known.operationName === operationName && known.accept === accept && known.isRouter === isRouter;
}

/** A request with its variables. */
interface AskedOperation extends AskedRequest {
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The parts of a request that say what it asks for. */
interface GraphQLRequest {
  readonly method: string;
  readonly headers: { readonly accept?: string | undefined };
  readonly body: unknown;
  readonly caller: { readonly isRouter: boolean };
}

/** What a plain request asks for; undefined for one that Apollo reads in another way, refuses, or knows by a hash. */
function askedOperation({ method, headers, body, caller }: GraphQLRequest): AskedOperation | undefined {
  if (method !== 'POST' || !isFields(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  if (typeof query !== 'string') return undefined;
  if (operationName != null && (typeof operationName !== 'string' || operationName === '')) return undefined;
  if (variables != null && !isFields(variables)) return undefined;
  if (extensions != null && (!isFields(extensions) || extensions.persistedQuery != null)) return undefined;
  return {
    query,
    operationName: operationName ?? undefined,
    accept: headers.accept,
    isRouter: caller.isRouter,
    variables: variables ?? {},
  };
}
