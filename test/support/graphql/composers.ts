import { createRequire } from 'node:module';
import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices as composeByHive } from '@theguild/federation-composition';
import { federateSubgraphs, LATEST_ROUTER_COMPATIBILITY_VERSION } from '@wundergraph/composition';
import type * as GraphQL from 'graphql';

/** As the composers load it: its types are compared by identity, and the tests import another copy. */
const { parse, print, printSchema } = createRequire(import.meta.url)('graphql') as typeof GraphQL;

/** A subgraph by its SDL. */
export interface Subgraph {
  readonly name: string;
  readonly sdl: string;
}

/** What came of a composition: the schema that clients see, or what stands against it. */
export interface Composition {
  readonly schema: string | undefined;
  readonly errors: readonly string[];
  /** What a router reads. */
  readonly supergraph: string | undefined;
}

/** The composers that the routers of this field use. */
export const COMPOSERS: readonly (readonly [string, (subgraphs: readonly Subgraph[]) => Composition])[] = [
  [
    '@apollo/composition',
    (subgraphs) => {
      const { schema, supergraphSdl: supergraph, errors = [] } = composeByApollo(subgraphs.map(asService));
      const api = schema?.toAPISchema().toGraphQLJSSchema();
      return { schema: api && printSchema(api), supergraph, errors: errors.map(({ message }) => message) };
    },
  ],
  [
    '@theguild/federation-composition',
    (subgraphs) => {
      const { publicSdl, supergraphSdl: supergraph, errors = [] } = composeByHive(subgraphs.map(asService));
      return { schema: publicSdl, supergraph, errors: errors.map(({ message }) => message) };
    },
  ],
  [
    '@wundergraph/composition',
    (subgraphs) => {
      const result = federateSubgraphs({
        subgraphs: subgraphs.map(({ name, sdl }) => ({
          name,
          url: `http://${name}/`,
          definitions: parse(sdl),
        })),
        version: LATEST_ROUTER_COMPATIBILITY_VERSION,
      });
      return result.success
        ? {
            schema: printSchema(result.federatedGraphClientSchema),
            supergraph: print(result.federatedGraphAST),
            errors: [],
          }
        : { schema: undefined, supergraph: undefined, errors: result.errors.map(({ message }) => message) };
    },
  ],
];

function asService({ name, sdl }: Subgraph): { name: string; url: string; typeDefs: GraphQL.DocumentNode } {
  return { name, url: `http://${name}/`, typeDefs: parse(sdl) };
}
