import { type AnswerTurns, type Turn } from '../load/answer-turns.js';
import { ExecutionCancelledError } from 'portico/client';
import { AnswerBudget } from './answer-budget.js';
import { type AnswerPlan } from './answer-plan.js';
import { type Size } from './json-size.js';
import { type Selected } from './measure-answer.js';

/** Values that are measured, completed and written in a few milliseconds. */
const MANY_PARTS = 4000;

/** Who waits for an answer. */
export interface AnswerReader {
  /** The session or address that takes turns. */
  readonly name: string;
  /** Aborts when the caller has hung up. Asked only for a large answer. */
  readonly gone: () => AbortSignal;
}

/**
 * The answer to one request while it is made. It is limited. If it is large, it takes turns with others, and is made only while its
 * caller is there.
 */
export class AnswerInMaking {
  readonly #budget: AnswerBudget;
  readonly #turns: AnswerTurns;
  readonly #reader: AnswerReader;
  #turn: Promise<Turn | undefined> | undefined;

  constructor(limits: Size, turns: AnswerTurns, reader: AnswerReader) {
    this.#budget = new AnswerBudget(limits);
    this.#turns = turns;
    this.#reader = reader;
  }

  /**
   * Lets a value into the answer. A large one waits for its turn first: even measuring it takes a while.
   *
   * @throws ServiceError ANSWER_TOO_LARGE if the value does not fit.
   * @throws ExecutionCancelledError if the answer is large and its caller has hung up.
   */
  add<T>(value: T, selected: Omit<Selected, 'value'>): T | Promise<T> {
    if (partsAtLeast(value, selected.plan) >= MANY_PARTS) {
      return this.#waitForTurn().then(() => this.#charged(value, selected));
    }
    this.#charged(value, selected);
    return this.#budget.isHeavy ? this.#waitForTurn().then(() => value) : value;
  }

  #charged<T>(value: T, selected: Omit<Selected, 'value'>): T {
    this.#budget.charge({ ...selected, value });
    return value;
  }

  /** Each field gets its own iteration of the event loop: completing all at once would keep others waiting. */
  async #waitForTurn(): Promise<void> {
    const { name, gone } = this.#reader;
    const signal = gone();
    this.#turn = this.#turn?.then((turn) => turn && this.#goOn(turn)) ?? this.#turns.take(name, signal);
    await this.#turn;
    if (signal.aborted) throw new ExecutionCancelledError('The caller hung up before its answer was made.');
  }

  async #goOn(turn: Turn): Promise<Turn> {
    turn.refresh();
    await this.#turns.nextIteration();
    return turn;
  }

  /** Ends the turn once the answer is written, which happens before the next event loop iteration. */
  sending(): void {
    void this.#turn?.then((turn) =>
      setImmediate(() => {
        turn?.end();
      }),
    );
  }
}

/** The length of a list is enough to recognize a large one. */
function partsAtLeast(value: unknown, plan: AnswerPlan): number {
  return (Array.isArray(value) ? value.length : 1) * plan.length;
}
