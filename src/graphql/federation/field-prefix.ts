import {
  type DocumentNode,
  GraphQLObjectType,
  GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  visit,
} from 'graphql';
import { prefixedName } from '../../config/prefixed-name.js';

/**
 * A transform of the schema that gives every field of `Query` and `Mutation` a prefix. Resolvers know nothing
 * about it.
 *
 * @param prefix if undefined, the schema is not changed.
 */
export function prefixRootFields(prefix: string | undefined): (schema: GraphQLSchema) => GraphQLSchema {
  if (prefix === undefined) return (schema) => schema;
  return (schema) => {
    const { types, query, mutation, ...rest } = schema.toConfig();
    const withRenamedFields = (type: GraphQLObjectType): GraphQLObjectType => {
      const config = type.toConfig();
      const fields = Object.entries(config.fields).map(([name, field]) => [
        prefixedName(prefix, name),
        field,
      ]);
      return new GraphQLObjectType({ ...config, fields: Object.fromEntries(fields) as typeof config.fields });
    };
    return new GraphQLSchema({
      ...rest,
      types: types.filter((type) => type !== query && type !== mutation),
      query: query && withRenamedFields(query),
      mutation: mutation && withRenamedFields(mutation),
    });
  };
}

/** The same in the SDL that routers read. */
export function prefixedRoots(prefix: string | undefined): (sdl: DocumentNode) => DocumentNode {
  if (prefix === undefined) return (sdl) => sdl;
  const rename = (type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode | undefined =>
    ['Query', 'Mutation'].includes(type.name.value)
      ? {
          ...type,
          fields: type.fields?.map((field) => ({
            ...field,
            name: { ...field.name, value: prefixedName(prefix, field.name.value) },
          })),
        }
      : undefined;
  return (sdl) => visit(sdl, { [Kind.OBJECT_TYPE_DEFINITION]: rename });
}
