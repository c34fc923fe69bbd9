import { type AnswerPlan, type PlannedField } from './answer-plan.js';
import { type CountText, jsonSize, leafBytes, type Size } from './json-size.js';

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
  const total = { nodes: 0, bytes: 0 };
  add(value, isConditional(plan) ? included(plan, variables) : plan);
  return total;

  function add(part: unknown, fields: AnswerPlan): void {
    if (Array.isArray(part)) {
      addList(part, fields);
    } else if (typeof part !== 'object' || part === null) {
      total.nodes += 1;
      total.bytes += leafBytes(part, countText);
    } else {
      addObject(part as Readonly<Record<string, unknown>>, fields);
    }
  }

  function addList(list: readonly unknown[], fields: AnswerPlan): void {
    total.nodes += 1;
    total.bytes += 2 + Math.max(0, list.length - 1);
    for (const item of list) {
      add(item, fields);
      if (total.nodes > limit.nodes || total.bytes > limit.bytes) return;
    }
  }

  function addObject(object: Readonly<Record<string, unknown>>, fields: AnswerPlan): void {
    total.nodes += 1;
    total.bytes += 2 + Math.max(0, fields.length - 1);
    for (const field of fields) addField(object, field);
  }

  function addField(
    object: Readonly<Record<string, unknown>>,
    { keyBytes, property, constantBytes, isJson, fields }: PlannedField,
  ): void {
    total.bytes += keyBytes + constantBytes;
    const part = property === undefined ? undefined : object[property];
    if (property === undefined) {
      total.nodes += 1;
    } else if (isJson) {
      const size = jsonSize(part);
      total.nodes += size.nodes;
      total.bytes += size.bytes;
    } else if (fields !== undefined) {
      add(part, fields);
    } else {
      total.nodes += 1;
      total.bytes += leafBytes(part, countText);
    }
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
