import {
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionNode,
} from 'graphql';

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
/** JSON writes a character of a string as `\u001f` at most. */
const MOST_CHARACTER_BYTES = 6;

/** The size of a value in the answer, with more bytes: no text of it is read, which takes most of the time. */
export function answerBound(selected: Selected): Size {
  return measured(selected, { nodes: Infinity, bytes: Infinity }, false);
}

/** The size of a value in the answer. Measuring stops soon after `limit` is passed. */
export function answerSize(selected: Selected, limit: Size): Size {
  const { value, plan } = selected;
  if (!Array.isArray(value) || value.length < LONG || isConditional(plan)) return measured(selected, limit);
  const sizes = sizesOf.get(value) ?? new Map<string, Size>();
  const key = keyOf(plan);
  let size = sizes.get(key);
  if (size === undefined) {
    size = measured(selected, limit);
    const isWhole = size.nodes <= limit.nodes && size.bytes <= limit.bytes;
    if (isWhole && sizes.size < MOST_SIZES) sizesOf.set(value, sizes.set(key, size));
  }
  return size;
}

/** Longer lists are shared by the fields of a document and by requests, and never change. */
const LONG = 50;
const MOST_SIZES = 16;
/** Of long lists, by what is selected of their items. */
const sizesOf = new WeakMap<readonly unknown[], Map<string, Size>>();
const keys = new WeakMap<AnswerPlan, string>();

/** Equal for plans that select the same, whatever document they are of. */
function keyOf(plan: AnswerPlan): string {
  if (!keys.has(plan)) keys.set(plan, JSON.stringify(plan));
  return keys.get(plan) ?? '';
}

function measured({ value, plan, variables }: Selected, limit: Size, isExact = true): Size {
  const total = { nodes: 0, bytes: 0, isExact };
  add(value, isConditional(plan) ? included(plan, variables) : plan, total, limit);
  return { nodes: total.nodes, bytes: total.bytes };
}

/** A size while it is counted. */
interface Total {
  nodes: number;
  bytes: number;
  /** Whether strings are counted by their text, not by their length. */
  readonly isExact: boolean;
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
    total.bytes += ERROR_BYTES + leafBytes(value.message, total);
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
        if (field.property !== undefined) total.bytes += leafBytes(part, total);
      }
    }
  } else {
    total.nodes += 1;
    total.bytes += leafBytes(value, total);
  }
}

function addObject(part: object, { isJson, fields }: PlannedField, total: Total, limit: Size): void {
  if (isJson) addJson(part, total);
  else if (fields !== undefined) add(part, fields, total, limit);
  else {
    total.nodes += 1;
    total.bytes += leafBytes(part, total);
  }
}

/** Adds a JSON value of the platform. The client has limited how deeply it is nested, so recursion is safe. */
function addJson(value: unknown, total: Total): void {
  total.nodes += 1;
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    total.bytes += leafBytes(value, total);
    return;
  }
  let parts = 0;
  for (const [name, part] of Object.entries(value)) {
    // JSON leaves out members without a value.
    if (part === undefined) continue;
    if (!Array.isArray(value)) total.bytes += leafBytes(name, total) + 1;
    addJson(part, total);
    parts += 1;
  }
  // The brackets, and the commas between the parts.
  total.bytes += 2 + Math.max(0, parts - 1);
}

/** The bytes of a value without parts. A value that JSON cannot represent is null. */
function leafBytes(value: unknown, { isExact }: Total): number {
  if (typeof value === 'string') {
    if (!isExact) return value.length * MOST_CHARACTER_BYTES + 2;
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

function isConditional(plan: AnswerPlan): boolean {
  return plan.some(({ conditions, fields = [] }) => conditions !== undefined || isConditional(fields));
}

/** Whether a selection is part of the answer, by the variables of one request. */
type Condition = (variables: Readonly<Record<string, unknown>>) => boolean;

/** One field of an object in the answer. */
export interface PlannedField {
  /** Bytes of its name in the answer, with quotes and colon. */
  readonly keyBytes: number;
  /** The property that is read; undefined if another resolver returns the value, which is not known yet. */
  readonly property: string | undefined;
  /** The bytes of a value that does not depend on the object. */
  readonly constantBytes: number;
  /** Whether the value is JSON of the platform, answered whole. */
  readonly isJson: boolean;
  /** What is selected of the value, if that is an object. */
  readonly fields: AnswerPlan | undefined;
  /** Alternatives: the field is answered if one holds; undefined if always. */
  readonly conditions: readonly Condition[] | undefined;
}

/** What is selected of an object. */
export type AnswerPlan = readonly PlannedField[];

/** Everything that one document selects under one name. */
interface Collected {
  readonly nodes: FieldNode[];
  conditions: Condition[] | undefined;
}

type Document = Pick<GraphQLResolveInfo, 'fragments' | 'schema'>;

interface KnownPlan {
  readonly nodes: readonly FieldNode[];
  readonly plan: AnswerPlan;
}

const plans = new WeakMap<FieldNode, KnownPlan>();

/** What a field selects of the objects that it returns. Computed once for each document. */
export function answerPlan(info: GraphQLResolveInfo): AnswerPlan {
  const { fieldNodes: nodes, returnType } = info;
  const [first] = nodes;
  const known = first && plans.get(first);
  // Operations that share a fragment may each add selections of their own to its field.
  if (known?.nodes.length === nodes.length && known.nodes.every((node, index) => node === nodes[index])) {
    return known.plan;
  }
  const plan = planOf(nodes, getNamedType(returnType), info);
  if (first !== undefined) plans.set(first, { nodes, plan });
  return plan;
}

function planOf(nodes: readonly FieldNode[], type: GraphQLNamedType, document: Document): AnswerPlan {
  const collected = new Map<string, Collected>();
  for (const { selectionSet } of nodes) {
    if (selectionSet !== undefined) collect(selectionSet.selections, type, document, [], collected);
  }
  return [...collected].map(([key, { nodes: same, conditions }]) =>
    planned(key, same, conditions, type, document),
  );
}

function planned(
  key: string,
  nodes: readonly FieldNode[],
  conditions: readonly Condition[] | undefined,
  parent: GraphQLNamedType,
  document: Document,
): PlannedField {
  const property = nodes[0]?.name.value ?? '';
  const keyBytes = key.length + 3;
  if (property === '__typename') {
    const constantBytes = parent.name.length + 2;
    return { keyBytes, property: undefined, constantBytes, isJson: false, fields: undefined, conditions };
  }
  const field = fieldOf(parent, property);
  const type = field && getNamedType(field.type);
  return {
    keyBytes,
    property: field?.resolve === undefined ? property : undefined,
    constantBytes: 0,
    isJson: type?.name === 'JSONObject',
    fields: isObjectType(type) ? planOf(nodes, type, document) : undefined,
    conditions,
  };
}

function fieldOf(parent: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  const types = isUnionType(parent) ? parent.getTypes() : isObjectType(parent) ? [parent] : [];
  return types.map((type) => type.getFields()[name]).find((field) => field !== undefined);
}

/** Selections of every member of a union count for each of its values: an answer may be smaller, never larger. */
function collect(
  selections: readonly SelectionNode[],
  type: GraphQLNamedType,
  document: Document,
  outer: readonly Condition[],
  into: Map<string, Collected>,
): void {
  for (const selection of selections) {
    const conditions = [...outer, ...conditionsOf(selection)];
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const before = into.get(key);
      const all: Condition = (variables) => conditions.every((holds) => holds(variables));
      const alternative = conditions.length === 0 ? undefined : [all];
      if (before === undefined) into.set(key, { nodes: [selection], conditions: alternative });
      else {
        before.nodes.push(selection);
        before.conditions = before.conditions && alternative && [...before.conditions, ...alternative];
      }
      continue;
    }
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD ? document.fragments[selection.name.value] : selection;
    const on = fragment?.typeCondition?.name.value;
    if (fragment === undefined || !(on === undefined || on === type.name || isUnionType(type))) continue;
    collect(fragment.selectionSet.selections, type, document, conditions, into);
  }
}

function conditionsOf({ directives = [] }: SelectionNode): Condition[] {
  return directives.flatMap(({ name, arguments: [argument] = [] }) => {
    const wanted = name.value === 'include';
    if (!wanted && name.value !== 'skip') return [];
    const value = argument?.value;
    if (value?.kind === Kind.BOOLEAN) return [() => value.value === wanted];
    if (value?.kind === Kind.VARIABLE) return [(variables) => variables[value.name.value] === wanted];
    return [];
  });
}
