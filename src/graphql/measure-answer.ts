import { type AnswerPlan, type PlannedField } from './answer-plan.js';
import { type CountText, jsonSize, leafBytes, type Size } from './json-size.js';

/** An error of one item in a list takes as much time as so many values. */
export const ERROR_NODES = 250;
/** What an error takes besides its message: path, locations and extensions. */
const ERROR_BYTES = 400;

/** What is selected of a value, for one request. */
export interface Selected {
  readonly value: unknown;
  readonly plan: AnswerPlan;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The size of a value in the answer: exact with an exact count of text. Measuring stops soon after `limit` is passed.
 */
export function measureAnswer({ value, plan, variables }: Selected, countText: CountText, limit: Size): Size {
  const measure = new Measure(countText, limit);
  measure.add(value, isConditional(plan) ? included(plan, variables) : plan);
  return measure;
}

class Measure implements Size {
  nodes = 0;
  bytes = 0;
  readonly #countText: CountText;
  readonly #limit: Size;

  constructor(countText: CountText, limit: Size) {
    this.#countText = countText;
    this.#limit = limit;
  }

  add(part: unknown, fields: AnswerPlan): void {
    if (Array.isArray(part)) {
      this.#addList(part, fields);
    } else if (part instanceof Error) {
      this.nodes += ERROR_NODES;
      this.bytes += ERROR_BYTES + this.#countText(part.message);
    } else if (typeof part !== 'object' || part === null) {
      this.#addLeaf(part);
    } else {
      this.#addObject(part as Readonly<Record<string, unknown>>, fields);
    }
  }

  #addList(list: readonly unknown[], fields: AnswerPlan): void {
    this.nodes += 1;
    this.bytes += 2 + Math.max(0, list.length - 1);
    for (const item of list) {
      this.add(item, fields);
      if (this.nodes > this.#limit.nodes || this.bytes > this.#limit.bytes) return;
    }
  }

  #addObject(object: Readonly<Record<string, unknown>>, fields: AnswerPlan): void {
    this.nodes += 1;
    this.bytes += 2 + Math.max(0, fields.length - 1);
    for (const field of fields) this.#addField(object, field);
  }

  #addField(
    object: Readonly<Record<string, unknown>>,
    { keyBytes, property, constantBytes, isJson, fields }: PlannedField,
  ): void {
    this.bytes += keyBytes + constantBytes;
    const part = property === undefined ? undefined : object[property];
    if (property === undefined) {
      this.nodes += 1;
    } else if (isJson) {
      const size = jsonSize(part);
      this.nodes += size.nodes;
      this.bytes += size.bytes;
    } else if (fields !== undefined) {
      this.add(part, fields);
    } else {
      this.#addLeaf(part);
    }
  }

  #addLeaf(part: unknown): void {
    this.nodes += 1;
    this.bytes += leafBytes(part, this.#countText);
  }
}

function included(plan: AnswerPlan, variables: Readonly<Record<string, unknown>>): AnswerPlan {
  return plan
    .filter(({ conditions }) => conditions?.some((holds) => holds(variables)) ?? true)
    .map((field) => (field.fields ? { ...field, fields: included(field.fields, variables) } : field));
}

const conditional = new WeakMap<AnswerPlan, boolean>();

function isConditional(plan: AnswerPlan): boolean {
  let is = conditional.get(plan);
  if (is === undefined) {
    is = plan.some(({ conditions, fields }) => conditions !== undefined || (fields && isConditional(fields)));
    conditional.set(plan, is);
  }
  return is;
}
