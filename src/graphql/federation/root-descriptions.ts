import { type GraphQLSchema, Kind, visit } from 'graphql';
import { type SdlEdit } from './subgraph-sdl.js';

/** Root types have no class that could carry a description. */
const DESCRIPTIONS: Readonly<Partial<Record<string, string>>> = {
  Query: 'What can be read: the session and the platform behind it.',
  Mutation: 'Starts, extends and ends sessions. A document may contain at most one of these.',
};

/** A transform of the schema that describes the root types. */
export function describeRootTypes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    if (type) type.description = DESCRIPTIONS[type.name];
  }
  return schema;
}

/** The same in the SDL that routers read. */
export const rootDescriptions: SdlEdit = (sdl) =>
  visit(sdl, {
    [Kind.OBJECT_TYPE_DEFINITION]: (type) => {
      const value = DESCRIPTIONS[type.name.value];
      return value === undefined
        ? undefined
        : { ...type, description: { kind: Kind.STRING, value, block: true } };
    },
  });
