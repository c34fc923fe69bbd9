import { type DirectiveNode, Kind, visit } from 'graphql';
import { type SdlEdit } from './subgraph-sdl.js';

/**
 * For routers, everything in an entity except its key may be null: another subgraph may refer to one that the caller does not
 * see. If the schema promised more, a router would turn that into errors, and into null for everything around it.
 */
export const nullableEntities: SdlEdit = (sdl) =>
  visit(sdl, {
    [Kind.OBJECT_TYPE_DEFINITION]: ({ directives = [], fields = [], ...type }) => {
      const keys = new Set(directives.flatMap(keyFields));
      if (keys.size === 0) return undefined;
      const loosened = fields.map((field) =>
        field.type.kind === Kind.NON_NULL_TYPE && !keys.has(field.name.value)
          ? { ...field, type: field.type.type }
          : field,
      );
      return { ...type, directives, fields: loosened };
    },
  });

/** The names in `@key(fields: "…")`. */
function keyFields({ name, arguments: given = [] }: DirectiveNode): string[] {
  if (name.value !== 'key') return [];
  return given.flatMap(({ name: { value: argument }, value }) =>
    argument === 'fields' && value.kind === Kind.STRING ? value.value.split(/[\s{}]+/).filter(Boolean) : [],
  );
}
