import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { type Settings } from '../config/settings.js';
import { type Caller } from '../http/caller.js';
import { type AnswerStream, type CallerContext, callerFacts, hangUpSignal } from '../http/caller-context.js';
import { type AnswerTurns } from '../load/answer-turns.js';
import { type KnownSessions } from '../session/handle.js';
import { AnswerBudget } from './limits/answer-budget.js';
import { type Size } from './limits/answer-size.js';

/** The parts of the HTTP request that the facade uses. */
export interface HttpRequest {
  readonly id: string;
  /** The caller, as read from the headers. */
  readonly caller: Caller;
  /** How the request was admitted. */
  readonly slot: { readonly isReserved: boolean };
  /** What was executed in Apollo's place, as it is frequent. */
  executed?: ExecutedOperation;
}

/** A frequent operation, parsed and validated. */
export interface ExecutedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The part of the HTTP answer that the facade uses. */
export interface HttpReply {
  readonly raw: AnswerStream;
  mayBeCompressed: boolean;
}

/** A {@link CallerContext} with what only the standalone service needs. */
export interface GraphQLContext extends CallerContext {
  readonly req: HttpRequest;
  /** Whether the caller is the router of a graph, by its secret. */
  readonly isRouter: boolean;
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
    const context = new ConnectedContext(req, reply.raw, limits, turns, sessions);
    return Object.assign(context, callerFacts(req.caller, req.id), {
      isRouter: req.caller.isRouter,
      hasReservedPlace: req.slot.isReserved,
      allowCompression: () => {
        reply.mayBeCompressed = true;
      },
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
  /** Shared with the copies. */
  readonly hangUp: { readonly of: AnswerStream; signal: AbortSignal | undefined };
  readonly answer: AnswerBudget;

  constructor(
    req: HttpRequest,
    reply: AnswerStream,
    limits: Size,
    turns: AnswerTurns,
    sessions: KnownSessions,
  ) {
    this.req = req;
    this.hangUp = { of: reply, signal: undefined };
    this.answer = new AnswerBudget(limits, turns, {
      party: () => sessions.partyOf(req.caller),
      gone: () => this.signal,
    });
  }

  get signal(): AbortSignal {
    return (this.hangUp.signal ??= hangUpSignal(this.hangUp.of));
  }

  onLarge(): Promise<void> {
    return this.answer.nextPart();
  }

  search(entries: number): Promise<void> | undefined {
    return this.answer.search(entries);
  }
}
