import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/**
 * The root fields of an operation by their names in the schema, each once, in the order of the document. The document has been
 * validated, so every name in it is in the schema.
 */
export function rootFields(operation: OperationDefinitionNode, { definitions }: DocumentNode): string[] {
  const names = new Set<string>();
  const fragments = new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet]] : [],
    ),
  );
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        // Once is enough: a fragment that is spread many times has the same fields each time.
        fragments.delete(selection.name.value);
        if (fragment !== undefined) collect(fragment);
      }
    }
  };
  collect(operation.selectionSet);
  return [...names];
}
