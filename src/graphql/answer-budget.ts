import { type Size, textBytes, textBytesAtMost } from './json-size.js';
import { measureAnswer, type Selected } from './measure-answer.js';
import { ServiceError } from '../errors/service-error.js';

/** Answers that may be larger than this take turns. */
const HEAVY_BYTES = 1024 * 1024;
const HEAVY_NODES = 50_000;

/**
 * How much the answer to one request may still hold. Each value that a resolver returns is charged to it, before GraphQL
 * completes the value and long before it is written.
 */
export class AnswerBudget {
  readonly #limits: Size;
  #nodes = 0;
  /** The most bytes that the answer can have so far. */
  #atMost = 0;
  /** Bytes that are counted exactly, and the values that are not counted yet but in `#atMost`. */
  #exact = 0;
  #uncounted: Selected[] = [];

  constructor(limits: Size) {
    this.#limits = limits;
  }

  /** Whether the answer is large enough to take turns with others. */
  get isHeavy(): boolean {
    return this.#atMost > HEAVY_BYTES || this.#nodes > HEAVY_NODES;
  }

  /**
   * Text is first counted by its length. Only if that could exceed the limit is it read: few answers come near.
   *
   * @throws ServiceError ANSWER_TOO_LARGE if the value does not fit. It is not charged then: smaller values may still fit.
   */
  charge(selected: Selected): void {
    const left = { nodes: this.#limits.nodes - this.#nodes, bytes: Infinity };
    const { nodes, bytes } = measureAnswer(selected, textBytesAtMost, left);
    if (nodes > left.nodes) throw tooLarge(this.#limits.nodes, 'values', 'GRAPHQL_MAX_ANSWER_NODES');
    if (this.#atMost + bytes > this.#limits.bytes) this.#chargeExactly(selected);
    else {
      this.#uncounted.push(selected);
      this.#atMost += bytes;
    }
    this.#nodes += nodes;
  }

  #chargeExactly(selected: Selected): void {
    for (const earlier of this.#uncounted) this.#exact += this.#exactBytes(earlier);
    this.#uncounted = [];
    this.#atMost = this.#exact;
    const bytes = this.#exactBytes(selected);
    if (this.#exact + bytes > this.#limits.bytes) {
      throw tooLarge(this.#limits.bytes, 'bytes', 'GRAPHQL_MAX_ANSWER_BYTES');
    }
    this.#exact += bytes;
    this.#atMost = this.#exact;
  }

  #exactBytes(selected: Selected): number {
    return measureAnswer(selected, textBytes, { nodes: Infinity, bytes: this.#limits.bytes }).bytes;
  }
}

function tooLarge(limit: number, unit: string, setting: string): ServiceError {
  const message = `The answer would have more than ${limit} ${unit} (${setting}): request less data`;
  return new ServiceError('GRAPHQL_VALIDATION_FAILED', message, { reason: 'ANSWER_TOO_LARGE' });
}
