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

/** Whether a selection is part of the answer, by the variables of one request. */
export type Condition = (variables: Readonly<Record<string, unknown>>) => boolean;

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
      const alternative = conditions.length === 0 ? undefined : [all(conditions)];
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

function all(conditions: readonly Condition[]): Condition {
  return (variables) => conditions.every((holds) => holds(variables));
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
