import { ExecutionCancelledError } from 'portico/client';
import { type Party } from 'portico/internal';
import { ServiceError } from '../../errors/service-error.js';
import { type AnswerTurns, type Turn } from '../../load/answer-turns.js';
import { answerBound, answerPlan, answerSize, type Selected, type Size } from './answer-size.js';
import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isCompositeType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql';

/** Answers that are larger than this, or take more work to find, take turns. */
const HEAVY_BYTES = 1024 * 1024;
const HEAVY_NODES = 50_000;
/** Values that are found, measured, completed and written in a few milliseconds. */
const MANY_PARTS = 4000;
/** Items of a list that GraphQL's own executor completes in a few milliseconds, or thirty while its code is cold. */
const ITEMS = 1000;

const NO_LIMIT = { nodes: Infinity, bytes: Infinity };

/** Who waits for an answer. */
export interface AnswerReader {
  /** Who takes turns. Asked only for a large answer. */
  readonly party: () => Party;
  /** Aborts when the caller has hung up. Asked only for a large answer. */
  readonly gone: () => AbortSignal;
}

/**
 * What the answer to one request may still hold, and what it costs to find. Each value that a resolver returns is
 * charged to it before GraphQL completes the value. A large answer takes turns with others, and is made only while
 * its caller is there.
 */
export class AnswerBudget {
  readonly #limits: Size;
  readonly #turns: AnswerTurns;
  readonly #reader: AnswerReader;
  /** Whether long lists are completed a part at a time: compiled code is quick enough. */
  completesInParts = true;
  #nodes = 0;
  #bytes = 0;
  /** Those values of which `#bytes` has more than their size: it is enough to see that a small answer fits. */
  #bounded: Selected[] = [];
  /** Entries of lists that were searched or sorted. */
  #searched = 0;
  #turn: Promise<Turn | undefined> | undefined;
  /** Why a large value did not fit. */
  #refusal: (() => ServiceError) | undefined;
  /** When all long lists so far are completed. */
  #completed: Promise<unknown> | undefined;

  constructor(limits: Size, turns: AnswerTurns, reader: AnswerReader) {
    this.#limits = limits;
    this.#turns = turns;
    this.#reader = reader;
  }

  /**
   * Lets a value into the answer. A large one waits for its turn first: even measuring it takes a while.
   *
   * @throws ServiceError ANSWER_TOO_LARGE if the value does not fit, or is large and another large one did not: to
   *   make the ones that fit takes much time, and is no use without the others. Neither is charged: small values
   *   may still fit.
   * @throws ExecutionCancelledError if the answer is large and its caller has hung up.
   */
  add<T>(value: T, selected: Omit<Selected, 'value'>): T | Promise<T> {
    // The length of a list is enough to recognize a large one.
    const parts = (Array.isArray(value) ? value.length : 1) * selected.plan.length;
    if (parts >= MANY_PARTS) return this.#addLarge(value, selected);
    this.#chargeSmall({ ...selected, value });
    return this.isHeavy ? this.nextPart().then(() => value) : value;
  }

  /**
   * Counts the search or the sorting of a list before it is done. Much of it waits for a turn, as a large value does.
   *
   * @param entries of the list.
   * @throws ExecutionCancelledError if it is much, and the caller has hung up.
   */
  search(entries: number): Promise<void> | undefined {
    this.#searched += entries;
    return entries >= MANY_PARTS || this.isHeavy ? this.nextPart() : undefined;
  }

  /** Ends the turn once the answer is written, which happens before the next event loop iteration. */
  sending(): void {
    // The request may live longer than its answer, and would keep these.
    this.#bounded = [];
    void this.#turn?.then((turn) =>
      setImmediate(() => {
        turn?.end();
      }),
    );
  }

  /** Of the text of what the answer has so far. */
  get bytes(): number {
    this.#measureBounded();
    return this.#bytes;
  }

  /** Whether what follows takes so long that it has to be done in parts. */
  get isHeavy(): boolean {
    return this.#bytes > HEAVY_BYTES || this.#nodes + this.#searched > HEAVY_NODES;
  }

  /** It is measured in one part, and completed in the next. */
  async #addLarge<T>(value: T, selected: Omit<Selected, 'value'>): Promise<T> {
    const turn = await this.#nextTurn();
    const size = this.#chargedLarge(value, selected);
    turn?.hold(this.bytes);
    if (!this.completesInParts || !Array.isArray(value)) {
      await this.#largePart(size);
      return value;
    }
    const before = this.#completed ?? Promise.resolve();
    const list = before.then(() => this.#largePart(size)).then(() => this.#promised(value));
    // One list after the other: the promises of all of them would take much memory.
    this.#completed = list.then(
      () => this.#turn,
      () => undefined,
    );
    return list as Promise<T>;
  }

  #chargedLarge(value: unknown, selected: Omit<Selected, 'value'>): Size {
    if (this.#refusal !== undefined) throw this.#refusal();
    try {
      return this.#charge({ ...selected, value });
    } catch (error) {
      const { message } = error as ServiceError;
      this.#refusal = () => tooLarge(message);
      throw error;
    }
  }

  /** By now all large values have been measured that were found with this one. */
  async #largePart({ nodes, bytes }: Size): Promise<void> {
    await this.nextPart();
    if (this.#refusal === undefined) return;
    this.#nodes -= nodes;
    this.#bytes -= bytes;
    throw this.#refusal();
  }

  /** A list whose items come a thousand at a time: GraphQL completes each when it comes. */
  #promised(items: readonly unknown[]): unknown[] {
    let part: Promise<void> | undefined;
    return items.map((item, at) => {
      // If the caller hangs up, to complete them takes less than an error of each.
      if (at > 0 && at % ITEMS === 0) part = this.nextPart().catch(() => undefined);
      return part?.then(() => item) ?? item;
    });
  }

  #chargeSmall(selected: Selected): void {
    const { nodes, bytes } = answerBound(selected);
    const most = Math.min(this.#limits.bytes, HEAVY_BYTES);
    if (this.#nodes + nodes > this.#limits.nodes || this.#bytes + bytes > most) this.#charge(selected);
    else {
      this.#nodes += nodes;
      this.#bytes += bytes;
      this.#bounded.push(selected);
    }
  }

  #charge(selected: Selected): Size {
    this.#measureBounded();
    const left = { nodes: this.#limits.nodes - this.#nodes, bytes: this.#limits.bytes - this.#bytes };
    const size = answerSize(selected, left);
    const { nodes, bytes } = this.#limits;
    if (size.nodes > left.nodes) throw tooLarge(limitMessage(nodes, 'values', 'GRAPHQL_MAX_ANSWER_NODES'));
    if (size.bytes > left.bytes) throw tooLarge(limitMessage(bytes, 'bytes', 'GRAPHQL_MAX_ANSWER_BYTES'));
    this.#nodes += size.nodes;
    this.#bytes += size.bytes;
    return size;
  }

  #measureBounded(): void {
    for (const selected of this.#bounded) {
      this.#bytes -= answerBound(selected).bytes - answerSize(selected, NO_LIMIT).bytes;
    }
    this.#bounded = [];
  }

  /**
   * Waits for the answer's turn, and for an iteration of the event loop for each further part of it: a large response
   * of the platform, a large field. Without these pauses, others would have to wait for all of it.
   *
   * @throws ExecutionCancelledError if its caller has hung up.
   */
  async nextPart(): Promise<void> {
    await this.#nextTurn();
  }

  async #nextTurn(): Promise<Turn | undefined> {
    const { party, gone } = this.#reader;
    const signal = gone();
    this.#turn = this.#turn?.then((turn) => turn && goOn(turn)) ?? this.#turns.take(party(), signal);
    const turn = await this.#turn;
    if (signal.aborted) throw new ExecutionCancelledError('The caller hung up before its answer was made.');
    return turn;
  }
}

async function goOn(turn: Turn): Promise<Turn> {
  await turn.next();
  return turn;
}

function limitMessage(limit: number, unit: string, setting: string): string {
  return `The answer would have more than ${limit} ${unit} (${setting}): request less data`;
}

function tooLarge(message: string): ServiceError {
  return new ServiceError('GRAPHQL_VALIDATION_FAILED', message, { reason: 'ANSWER_TOO_LARGE' });
}

/** The part of a request's context that this needs. */
interface AnswerContext {
  readonly answer: AnswerBudget;
}

type Field = GraphQLField<unknown, AnswerContext>;

/** Nest's name for the resolver of a field that is a property of its object. */
const PLAIN = 'rootFieldResolver';

/**
 * A transform of the schema: the objects and lists that a resolver returns are charged to the answer before GraphQL
 * completes them, except a few scalars that a mutation returns. The resolvers that only read a property go: GraphQL
 * does that itself, without a call for each value, and a field without a resolver can be measured and compiled.
 *
 * @throws Error at start if it finds no such resolver: fields with their own would not be measured.
 */
export function chargeAnswers(schema: GraphQLSchema): GraphQLSchema {
  let isKnown = false;
  const small = Object.values(schema.getMutationType()?.getFields() ?? {}).filter(isSmall);
  for (const field of Object.values(schema.getTypeMap()).filter(isOurs).flatMap(fieldsOf)) {
    if (field.resolve?.name === PLAIN) {
      field.resolve = undefined;
      isKnown = true;
    } else if (field.resolve !== undefined && mayBeLarge(field) && !small.includes(field)) {
      charge(field as Field);
    }
  }
  if (!isKnown) throw new Error(`No field has Nest's resolver ${PLAIN}: it has another name now`);
  return schema;
}

function isOurs(type: unknown): type is GraphQLObjectType {
  return isObjectType(type) && !type.name.startsWith('__');
}

function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields());
}

/** The SDL for routers is a constant, and is read without a request at the start. */
function mayBeLarge({ type }: GraphQLField<unknown, unknown>): boolean {
  const given = getNamedType(type);
  return (isCompositeType(given) || isListType(getNullableType(type))) && given.name !== '_Service';
}

/** One object of scalars, such as a handle. Its fields with resolvers of their own are charged themselves. */
function isSmall({ type }: GraphQLField<unknown, unknown>): boolean {
  const given = getNullableType(type);
  if (!isObjectType(given)) return false;
  const plain = fieldsOf(given).filter(({ resolve }) => resolve === undefined || resolve.name === PLAIN);
  return plain.every(
    (field) => isScalarType(getNullableType(field.type)) && getNamedType(field.type).name !== 'JSONObject',
  );
}

function charge(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const charged = (value: unknown): unknown =>
      value === null || value === undefined
        ? value
        : context.answer.add(value, { plan: answerPlan(info), variables: info.variableValues });
    const given: unknown = resolve(source, args as never, context, info);
    return given instanceof Promise ? given.then(charged) : charged(given);
  };
}
