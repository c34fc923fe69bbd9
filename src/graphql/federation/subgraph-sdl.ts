import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  graphqlSync,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { type NamePrefixes, prefixedSdl } from './name-prefixes.js';

/** A change of the SDL that routers read. It changes nothing that runs. */
type SdlEdit = (sdl: DocumentNode) => DocumentNode;

/**
 * A transform of the schema that edits the SDL that `_service` returns, where it differs from what Nest makes of
 * the classes.
 */
export function editSubgraphSdl(prefixes: NamePrefixes): (schema: GraphQLSchema) => GraphQLSchema {
  const edits: SdlEdit[] = [describedRoots, nullableFailures, prefixedSdl(prefixes)];
  return (schema) => {
    const service = schema.getQueryType()?.getFields()._service;
    if (service === undefined) return schema;
    const sdl = print(edits.reduce((document, edit) => edit(document), parse(subgraphSdl(schema))));
    service.resolve = () => ({ sdl });
    return schema;
  };
}

function subgraphSdl(schema: GraphQLSchema): string {
  const { data } = graphqlSync({ schema, source: '{ _service { sdl } }' });
  const { sdl } = data?._service as { sdl: string };
  return sdl;
}

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
const describedRoots: SdlEdit = (sdl) =>
  visit(sdl, {
    [Kind.OBJECT_TYPE_DEFINITION]: (type) => {
      const value = DESCRIPTIONS[type.name.value];
      return value === undefined
        ? undefined
        : { ...type, description: { kind: Kind.STRING, value, block: true } };
    },
  });

/**
 * For routers, everything in an entity except its key may be null: another subgraph may refer to one that the
 * caller does not see. If the schema promised more, a router would turn that into errors, and into null for
 * everything around it. A mutation may be null too: one that fails must not take with it what another subgraph has
 * done in the same operation.
 */
const nullableFailures: SdlEdit = (sdl) =>
  visit(sdl, {
    [Kind.OBJECT_TYPE_DEFINITION]: ({ directives = [], fields = [], ...type }) => {
      const keys = new Set(directives.flatMap(keyFields));
      if (keys.size === 0 && type.name.value !== 'Mutation') return undefined;
      const loosened = fields.map((field) =>
        field.type.kind === Kind.NON_NULL_TYPE && !keys.has(field.name.value)
          ? { ...field, type: field.type.type }
          : field,
      );
      return { ...type, directives, fields: loosened };
    },
  });

/** The names in `@key(fields: "…")`, and empty texts between them. */
function keyFields({ name, arguments: given = [] }: DirectiveNode): string[] {
  if (name.value !== 'key') return [];
  return given.flatMap(({ name: { value: argument }, value }) =>
    argument === 'fields' && value.kind === Kind.STRING ? value.value.split(/[\s{}]/) : [],
  );
}
