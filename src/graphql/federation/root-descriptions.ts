import { type GraphQLSchema, Kind, parse, print, visit } from 'graphql';
import { subgraphSdl } from './field-prefix.js';

/** Root types have no class that could carry a description. */
const DESCRIPTIONS: Readonly<Partial<Record<string, string>>> = {
  Query: 'What can be read: the session and the platform behind it.',
  Mutation: 'What begins, prolongs and ends a session; one of them to a document.',
};

/** A transform of the schema that describes the root types, in what runs and in the SDL that routers read. */
export function describeRootTypes(schema: GraphQLSchema): GraphQLSchema {
  const sdl = described(subgraphSdl(schema));
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    if (type) type.description = DESCRIPTIONS[type.name];
  }
  const service = schema.getQueryType()?.getFields()._service;
  if (service !== undefined) service.resolve = () => ({ sdl });
  return schema;
}

function described(sdl: string): string {
  const document = visit(parse(sdl), {
    [Kind.OBJECT_TYPE_DEFINITION]: (type) => {
      const value = DESCRIPTIONS[type.name.value];
      return value === undefined
        ? undefined
        : { ...type, description: { kind: Kind.STRING, value, block: true } };
    },
  });
  return print(document);
}
