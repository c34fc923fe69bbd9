import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

/**
 * Whether an operation may be compiled. Compiling writes JavaScript, so this is an allow-list: of all that the caller
 * sends, only names reach the code, and GraphQL's grammar limits them to letters, digits and underscores. Literals do
 * not: the compiler replaces some of their text with code. Everything else runs in GraphQL's own executor.
 */
export function isCompilable(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (operation.operation !== OperationTypeNode.QUERY) return false;
  if (!(operation.variableDefinitions ?? []).every(isPlainVariable)) return false;
  let isSafe = true;
  let hasMergedFields = false;
  let hasConditions = false;
  visit(document, {
    [Kind.FIELD]: (field) => {
      isSafe &&= isPlainField(field);
    },
    [Kind.DIRECTIVE]: (directive) => {
      hasConditions = true;
      isSafe &&= isPlainCondition(directive);
      return false;
    },
    [Kind.SELECTION_SET]: ({ selections }) => {
      hasMergedFields ||= mayMerge(selections);
    },
  });
  // The compiler merges fields with different conditions differently than GraphQL.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the visitor changes them
  return isSafe && !(hasMergedFields && hasConditions);
}

/** Whether two fields may have one key in the answer. */
function mayMerge(selections: readonly SelectionNode[]): boolean {
  const keys = selections.map((selection) =>
    selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : undefined,
  );
  return keys.includes(undefined) || new Set(keys).size < keys.length;
}

function isPlainVariable({ variable, defaultValue }: VariableDefinitionNode): boolean {
  return defaultValue === undefined && !variable.name.value.startsWith('__');
}

/** A key such as `__proto__` would mean something in an object literal; introspection stays with GraphQL. */
function isPlainField({ name, alias, arguments: given = [] }: FieldNode): boolean {
  const key = (alias ?? name).value;
  if (key.startsWith('__') && key !== '__typename') return false;
  if (name.value === '_service' || (name.value.startsWith('__') && name.value !== '__typename')) return false;
  return given.every(({ value }) => value.kind === Kind.VARIABLE);
}

function isPlainCondition({ name, arguments: given = [] }: DirectiveNode): boolean {
  return (
    (name.value === 'skip' || name.value === 'include') &&
    given.every(({ value }) => value.kind === Kind.VARIABLE || value.kind === Kind.BOOLEAN)
  );
}
