import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';

/** The size of one selection set, with its fragments included. */
export interface Measure {
  /** How often each field is selected here, under any alias or condition. */
  readonly fields: ReadonlyMap<string, number>;
  /** The most selections of one field in one place, here or below. */
  readonly mostOfOneField: number;
  /** Levels of fields. Parts that read the schema are measured separately. */
  readonly depth: number;
  readonly introspectionDepth: number;
  /**
   * How often the answer may have each part of the schema that is selected here: aliases inside of each other
   * multiply.
   */
  readonly schemaParts: ReadonlyMap<string, number>;
  readonly directives: number;
  readonly cost: number;
}

const LIST_FACTOR = 10;
/** A JSON object is the platform's whole object, so it costs as much as all fields of its type together. */
const JSON_OBJECT_COST = 10;
/** What begins to read the schema, by its type: the query type does not list it. */
const META_FIELDS = new Map<string, GraphQLOutputType>(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map(({ name, type }) => [name, type]),
);
const ENDLESS: Measure = {
  fields: new Map(),
  mostOfOneField: 0,
  depth: Infinity,
  introspectionDepth: 0,
  schemaParts: new Map(),
  directives: 0,
  cost: Infinity,
};

/**
 * Measures the operations and fragments of a document. Each fragment is measured once, however often it is used, so
 * the work grows with the length of the document, not with its expanded size. The document need not be valid.
 */
export class DocumentMeasure {
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #measured = new Map<string, Measure>();

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
  }

  ofOperation(operation: OperationDefinitionNode): Measure {
    const root = this.#schema.getRootType(operation.operation) ?? undefined;
    return withDirectives(this.#ofSelections(operation.selectionSet, root), operation);
  }

  /** Each fragment on its own, used or not. A fragment on an introspection type reads the schema. */
  ofFragments(): Measure[] {
    return [...this.#fragments].map(([name, { typeCondition }]) => {
      const measure = this.#ofFragment(name);
      const readsSchema = typeCondition.name.value.startsWith('__');
      return readsSchema ? { ...measure, depth: 0, introspectionDepth: measure.depth } : measure;
    });
  }

  #ofFragment(name: string): Measure {
    const known = this.#measured.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return combine([]);
    // Set while the fragment is measured: a fragment that uses itself has no end.
    this.#measured.set(name, ENDLESS);
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    const measure = withDirectives(this.#ofSelections(fragment.selectionSet, type), fragment);
    this.#measured.set(name, measure);
    return measure;
  }

  #ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): Measure {
    return combine(
      selections.map((selection) => withDirectives(this.#ofSelection(selection, parent), selection)),
    );
  }

  #ofSelection(selection: SelectionNode, parent: GraphQLNamedType | undefined): Measure {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      const type = condition === undefined ? parent : this.#schema.getType(condition);
      return this.#ofSelections(selection.selectionSet, type);
    }
    const name = selection.name.value;
    const meta = parent === this.#schema.getQueryType() ? META_FIELDS.get(name) : undefined;
    const isMeta = meta !== undefined;
    const type = meta ?? fieldType(parent, name);
    const inner = selection.selectionSet
      ? this.#ofSelections(selection.selectionSet, type && getNamedType(type))
      : combine([]);
    return {
      ...inner,
      fields: new Map([[name, 1]]),
      mostOfOneField: Math.max(inner.mostOfOneField, ...inner.fields.values()),
      depth: isMeta ? 1 : inner.depth + 1,
      introspectionDepth: isMeta ? inner.depth + 1 : inner.introspectionDepth,
      schemaParts:
        isMeta || parent?.name.startsWith('__') === true
          ? new Map([[schemaPart(selection), Math.max(1, ...inner.schemaParts.values())]])
          : new Map(),
      cost: ownCost(type) + listFactor(type) * inner.cost,
    };
  }
}

function fieldType(parent: GraphQLNamedType | undefined, name: string): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined;
}

/** Each `__type` reads another type, as a rule: only what is selected of it may be the same. */
function schemaPart({ name, alias }: FieldNode): string {
  return name.value === '__type' ? `__type ${alias?.value ?? ''}` : name.value;
}

function ownCost(type: GraphQLOutputType | undefined): number {
  return type !== undefined && getNamedType(type).name === 'JSONObject' ? JSON_OBJECT_COST : 1;
}

/** The lists of the schema itself are bounded, and GraphQL's own rules prevent cycles through them. */
function listFactor(type: GraphQLOutputType | undefined): number {
  const isList = type !== undefined && isListType(getNullableType(type));
  return isList && !getNamedType(type).name.startsWith('__') ? LIST_FACTOR : 1;
}

function withDirectives(measure: Measure, { directives }: { directives?: readonly unknown[] }): Measure {
  return { ...measure, directives: measure.directives + (directives?.length ?? 0) };
}

/** The total of several selections of one set. */
function combine(measures: readonly Measure[]): Measure {
  const fields = new Map<string, number>();
  const schemaParts = new Map<string, number>();
  const total = { mostOfOneField: 0, depth: 0, introspectionDepth: 0, directives: 0, cost: 0 };
  for (const measure of measures) {
    addTo(fields, measure.fields);
    addTo(schemaParts, measure.schemaParts);
    total.mostOfOneField = Math.max(total.mostOfOneField, measure.mostOfOneField);
    total.depth = Math.max(total.depth, measure.depth);
    total.introspectionDepth = Math.max(total.introspectionDepth, measure.introspectionDepth);
    total.directives += measure.directives;
    total.cost += measure.cost;
  }
  return { fields, schemaParts, ...total };
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}
