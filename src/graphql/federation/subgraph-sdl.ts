import { type DocumentNode, type GraphQLSchema, graphqlSync, parse, print } from 'graphql';

/** A change of the SDL that routers read. It changes nothing that runs. */
export type SdlEdit = (sdl: DocumentNode) => DocumentNode;

/** A transform of the schema that applies the edits, in order, to the SDL that `_service` returns. */
export function editSubgraphSdl(edits: readonly SdlEdit[]): (schema: GraphQLSchema) => GraphQLSchema {
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
