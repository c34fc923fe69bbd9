import { ExecutionCancelledError, type Party } from 'portico/client';
import { ServiceError } from '../../errors/service-error.js';
import { type AnswerTurns, type Turn } from '../../load/answer-turns.js';
import { type AnswerPlan } from './answer-plan.js';
import { answerSize, type Selected, type Size } from './answer-size.js';

/** Answers that are larger than this, or take more work to find, take turns. */
const HEAVY_BYTES = 1024 * 1024;
const HEAVY_NODES = 50_000;
/** Values that are found, measured, completed and written in a few milliseconds. */
const MANY_PARTS = 4000;

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
  #nodes = 0;
  #bytes = 0;
  /** Entries of lists that were searched or sorted. */
  #searched = 0;
  #turn: Promise<Turn | undefined> | undefined;

  constructor(limits: Size, turns: AnswerTurns, reader: AnswerReader) {
    this.#limits = limits;
    this.#turns = turns;
    this.#reader = reader;
  }

  /**
   * Lets a value into the answer. A large one waits for its turn first: even measuring it takes a while.
   *
   * @throws ServiceError ANSWER_TOO_LARGE if the value does not fit. It is not charged then: smaller values may
   *   still fit.
   * @throws ExecutionCancelledError if the answer is large and its caller has hung up.
   */
  add<T>(value: T, selected: Omit<Selected, 'value'>): T | Promise<T> {
    if (partsAtLeast(value, selected.plan) >= MANY_PARTS) {
      return this.nextPart().then(() => this.#charged(value, selected));
    }
    this.#charged(value, selected);
    return this.#isHeavy ? this.nextPart().then(() => value) : value;
  }

  /**
   * Counts the search or the sorting of a list before it is done. Much of it waits for a turn, as a large value does.
   *
   * @param entries of the list.
   * @throws ExecutionCancelledError if it is much, and the caller has hung up.
   */
  search(entries: number): Promise<void> | undefined {
    this.#searched += entries;
    return entries >= MANY_PARTS || this.#isHeavy ? this.nextPart() : undefined;
  }

  /** Ends the turn once the answer is written, which happens before the next event loop iteration. */
  sending(): void {
    void this.#turn?.then((turn) =>
      setImmediate(() => {
        turn?.end();
      }),
    );
  }

  get #isHeavy(): boolean {
    return this.#bytes > HEAVY_BYTES || this.#nodes + this.#searched > HEAVY_NODES;
  }

  #charged<T>(value: T, selected: Omit<Selected, 'value'>): T {
    const left = { nodes: this.#limits.nodes - this.#nodes, bytes: this.#limits.bytes - this.#bytes };
    const { nodes, bytes } = answerSize({ ...selected, value }, left);
    if (nodes > left.nodes) throw tooLarge(this.#limits.nodes, 'values', 'GRAPHQL_MAX_ANSWER_NODES');
    if (bytes > left.bytes) throw tooLarge(this.#limits.bytes, 'bytes', 'GRAPHQL_MAX_ANSWER_BYTES');
    this.#nodes += nodes;
    this.#bytes += bytes;
    return value;
  }

  /**
   * Waits for the answer's turn, and for an iteration of the event loop for each further part of it: a large response
   * of the platform, a large field. All at once would keep others waiting.
   *
   * @throws ExecutionCancelledError if its caller has hung up.
   */
  async nextPart(): Promise<void> {
    const { party, gone } = this.#reader;
    const signal = gone();
    this.#turn = this.#turn?.then((turn) => turn && goOn(turn)) ?? this.#turns.take(party(), signal);
    await this.#turn;
    if (signal.aborted) throw new ExecutionCancelledError('The caller hung up before its answer was made.');
  }
}

async function goOn(turn: Turn): Promise<Turn> {
  await turn.next();
  return turn;
}

/** The length of a list is enough to recognize a large one. */
function partsAtLeast(value: unknown, plan: AnswerPlan): number {
  return (Array.isArray(value) ? value.length : 1) * plan.length;
}

function tooLarge(limit: number, unit: string, setting: string): ServiceError {
  const message = `The answer would have more than ${limit} ${unit} (${setting}): request less data`;
  return new ServiceError('GRAPHQL_VALIDATION_FAILED', message, { reason: 'ANSWER_TOO_LARGE' });
}
