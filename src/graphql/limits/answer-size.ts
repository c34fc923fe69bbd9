import { type AnswerPlan, type PlannedField } from './answer-plan.js';

/** How much of an answer a value takes. */
export interface Size {
  /** Values: each string, number, object and list is one. */
  readonly nodes: number;
  /** Bytes of its JSON text in UTF-8. */
  readonly bytes: number;
}

/** What is selected of a value, for one request. */
export interface Selected {
  readonly value: unknown;
  readonly plan: AnswerPlan;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Making and writing the error of one item in a list takes as much time as this many values. */
const ERROR_NODES = 250;
/** What an error takes besides its message: path, locations and extensions, with ten ids. */
const ERROR_BYTES = 1500;
/** Most texts: those of printable ASCII that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/;
const NULL_BYTES = 4;
const FALSE_BYTES = 5;
/** `2015-06-30T21:55:35.000Z` in quotes. */
const DATE_BYTES = 26;

/** The size of a value in the answer. Measuring stops soon after `limit` is passed. */
export function answerSize({ value, plan, variables }: Selected, limit: Size): Size {
  const total = { nodes: 0, bytes: 0 };
  add(value, isConditional(plan) ? included(plan, variables) : plan, total, limit);
  return total;
}

/** A size while it is counted. */
interface Total {
  nodes: number;
  bytes: number;
}

/**
 * Adds a value with parts, or a leaf. Written as one function: a call for each part would cost more than the rest.
 */
function add(value: unknown, plan: AnswerPlan, total: Total, limit: Size): void {
  if (Array.isArray(value)) {
    total.nodes += 1;
    total.bytes += 2 + Math.max(0, value.length - 1);
    for (const item of value) {
      add(item, plan, total, limit);
      if (total.nodes > limit.nodes || total.bytes > limit.bytes) return;
    }
  } else if (value instanceof Error) {
    total.nodes += ERROR_NODES;
    total.bytes += ERROR_BYTES + leafBytes(value.message);
  } else if (typeof value === 'object' && value !== null) {
    total.nodes += 1;
    total.bytes += 2 + Math.max(0, plan.length - 1);
    for (const field of plan) {
      total.bytes += field.keyBytes + field.constantBytes;
      const part =
        field.property === undefined ? undefined : (value as Record<string, unknown>)[field.property];
      if (typeof part === 'object' && part !== null) addObject(part, field, total, limit);
      else {
        total.nodes += 1;
        if (field.property !== undefined) total.bytes += leafBytes(part);
      }
    }
  } else {
    total.nodes += 1;
    total.bytes += leafBytes(value);
  }
}

function addObject(part: object, { isJson, fields }: PlannedField, total: Total, limit: Size): void {
  if (isJson) addJson(part, total);
  else if (fields !== undefined) add(part, fields, total, limit);
  else {
    total.nodes += 1;
    total.bytes += leafBytes(part);
  }
}

/** Adds a JSON value of the platform. The client has limited how deeply it is nested, so recursion is safe. */
function addJson(value: unknown, total: Total): void {
  total.nodes += 1;
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    total.bytes += leafBytes(value);
    return;
  }
  let parts = 0;
  for (const [name, part] of Object.entries(value)) {
    // JSON leaves out members without a value.
    if (part === undefined) continue;
    if (!Array.isArray(value)) total.bytes += leafBytes(name) + 1;
    addJson(part, total);
    parts += 1;
  }
  // The brackets, and the commas between the parts.
  total.bytes += 2 + Math.max(0, parts - 1);
}

/** The bytes of a value without parts. A value that JSON cannot represent is null. */
function leafBytes(value: unknown): number {
  if (typeof value === 'string') {
    return PLAIN.test(value) ? value.length + 2 : Buffer.byteLength(JSON.stringify(value));
  }
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : NULL_BYTES;
  if (typeof value === 'boolean') return value ? NULL_BYTES : FALSE_BYTES;
  return value instanceof Date ? DATE_BYTES : NULL_BYTES;
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
