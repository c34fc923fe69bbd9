import { type GraphQLSchema, isObjectType } from 'graphql';

/** Nest's name for the resolver of a field that is a property of its object. */
const PLAIN = 'rootFieldResolver';

/**
 * A transform of the schema that removes the resolvers which only read the property of the field's name: GraphQL does
 * that itself, without a call for each value, and a field without a resolver can be measured and compiled.
 *
 * @throws Error at start if it finds none: fields with their own resolvers would not be measured.
 */
export function withoutPlainResolvers(schema: GraphQLSchema): GraphQLSchema {
  let removed = 0;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve?.name !== PLAIN) continue;
      field.resolve = undefined;
      removed += 1;
    }
  }
  if (removed === 0) throw new Error(`No field has Nest's resolver ${PLAIN}: it has another name now`);
  return schema;
}
