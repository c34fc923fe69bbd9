import {
  GraphQLObjectType,
  GraphQLSchema,
  graphqlSync,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';
import { prefixedName } from '../../config/prefixed-name.js';

/**
 * A schema transform that gives every field of `Query` and `Mutation` a prefix, both in the schema that runs and in the
 * SDL that routers read. Resolvers know nothing of it.
 *
 * @param prefix if undefined, the schema is not changed.
 */
export function prefixRootFields(prefix: string | undefined): (schema: GraphQLSchema) => GraphQLSchema {
  if (prefix === undefined) return (schema) => schema;
  const renamed = (name: string): string => prefixedName(prefix, name);
  return (schema) => {
    const { types, query, mutation, ...rest } = schema.toConfig();
    const sdl = withRenamedRoots(subgraphSdl(schema), renamed);
    const withRenamedFields = (type: GraphQLObjectType): GraphQLObjectType => {
      const config = type.toConfig();
      const fields = Object.entries(config.fields).map(([name, field]) =>
        name === '_service' ? [name, { ...field, resolve: () => ({ sdl }) }] : [renamed(name), field],
      );
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

/** The SDL that a schema gives to routers. */
export function subgraphSdl(schema: GraphQLSchema): string {
  const { data } = graphqlSync({ schema, source: '{ _service { sdl } }' });
  const { sdl } = data?._service as { sdl: string };
  return sdl;
}

function withRenamedRoots(sdl: string, renamed: (name: string) => string): string {
  const rename = (type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode | undefined =>
    ['Query', 'Mutation'].includes(type.name.value)
      ? {
          ...type,
          fields: type.fields?.map((field) => ({
            ...field,
            name: { ...field.name, value: renamed(field.name.value) },
          })),
        }
      : undefined;
  return print(visit(parse(sdl), { [Kind.OBJECT_TYPE_DEFINITION]: rename }));
}
