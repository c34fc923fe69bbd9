import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { type Settings } from '../config/settings.js';
import { type Caller } from '../http/caller.js';
import { type SessionCookie } from '../http/session-cookie.js';
import { type AnswerTurns } from '../load/answer-turns.js';
import { type KnownSessions } from '../session/known-sessions.js';
import { type RequestContext } from '../session/request-context.js';
import { type HandleTransport } from '../session/handle.js';
import { AnswerBudget } from './limits/answer-budget.js';
import { type Size } from './limits/answer-size.js';

/** The parts of the HTTP request that the facade uses. */
export interface HttpRequest {
  readonly id: string;
  /** The caller, as read from the headers. */
  readonly caller: Caller;
  /** How the request was admitted. */
  readonly slot: { readonly isReserved: boolean };
  /** What compiled code has executed for Apollo. */
  executed?: ExecutedQuery;
}

/** A query that is parsed, validated and compiled. */
export interface ExecutedQuery {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The part of the HTTP answer that the facade uses. */
export interface HttpReply {
  readonly raw: AnswerStream;
  mayBeCompressed: boolean;
}

/** The part of an answer's stream that shows whether the caller has hung up. */
interface AnswerStream {
  readonly destroyed: boolean;
  /** Whether all of the answer has been handed to the operating system. */
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** What a request says about its origin. */
export interface RequestOrigin {
  /** Whether the request has a session cookie, whatever its value. */
  readonly withCookie: boolean;
  /** How a well-formed handle was sent, if one was. */
  readonly transport: HandleTransport | undefined;
  /** The service's own origin, as the browser or the trusted proxies name it. */
  readonly self: string;
  /** `Origin`, and `Sec-Fetch-Site`: browsers set them, and no page can change them. */
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** A {@link RequestContext} with what only the edge needs: how to set a cookie, and where the request comes from. */
export interface GraphQLContext extends RequestContext {
  readonly req: HttpRequest;
  readonly sessionCookie: SessionCookie;
  readonly origin: RequestOrigin;
  /** What the answer may still hold. */
  readonly answer: AnswerBudget;
  /** Allows the answer to be compressed. */
  readonly allowCompression: () => void;
  /** Whether the request was admitted only because it may be a logout. */
  readonly hasReservedPlace: boolean;
}

/** Creates the context of a request. It calls nothing, so it cannot fail. */
export type MakeContext = (req: HttpRequest, reply: HttpReply) => GraphQLContext;

/** How contexts are made, with the limits of answers. */
export function contextMaker(settings: Settings, turns: AnswerTurns, sessions: KnownSessions): MakeContext {
  const limits = { nodes: settings.GRAPHQL_MAX_ANSWER_NODES, bytes: settings.GRAPHQL_MAX_ANSWER_BYTES };
  return (req, reply) => {
    const { presented, foreignBearer, withCookie, sessionCookie, service, origin, fetchSite } = req.caller;
    return Object.assign(new ConnectedContext(req, new HangUp(reply.raw), limits, turns, sessions), {
      requestId: req.id,
      clientAddress: req.caller.address,
      network: req.caller.network,
      sessionCookie,
      presented,
      foreignBearer,
      hasReservedPlace: req.slot.isReserved,
      allowCompression: () => {
        reply.mayBeCompressed = true;
      },
      crossSite: fetchSite === 'cross-site',
      // A value that cannot be a handle opens nothing.
      ...(withCookie && presented === undefined && { cookie: 'clear' as const }),
      origin: { withCookie, transport: presented?.transport, self: service.origin, origin, fetchSite },
    });
  };
}

/**
 * Apollo copies the context of each request, and with it the values of its getters, but not those of its prototype:
 * so the signal is made only for a request that has something to abort.
 */
class ConnectedContext {
  /** With it, Nest uses the context as it is; without it, Nest would make a copy. */
  readonly req: HttpRequest;
  readonly hangUp: HangUp;
  readonly answer: AnswerBudget;

  constructor(req: HttpRequest, hangUp: HangUp, limits: Size, turns: AnswerTurns, sessions: KnownSessions) {
    this.req = req;
    this.hangUp = hangUp;
    this.answer = new AnswerBudget(limits, turns, {
      party: () => sessions.partyOf(req.caller),
      gone: () => hangUp.signal,
    });
  }

  get signal(): AbortSignal {
    return this.hangUp.signal;
  }

  onLarge(): Promise<void> {
    return this.answer.nextPart();
  }

  search(entries: number): Promise<void> | undefined {
    return this.answer.search(entries);
  }
}

/** Notices when the connection of a request is closed before its answer has been sent. */
class HangUp {
  readonly #answer: AnswerStream;
  #controller: AbortController | undefined;

  constructor(answer: AnswerStream) {
    this.#answer = answer;
  }

  /** Made when something can be aborted. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#answer.destroyed) controller.abort();
    else {
      this.#answer.once('close', () => {
        if (!this.#answer.writableFinished) controller.abort();
      });
    }
    return controller.signal;
  }
}
