/** Composes Portico and the second subgraph into one supergraph. */
import { readFile } from 'node:fs/promises';
import { assertCompositionSuccess, composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { RATINGS_SDL } from './ratings-subgraph.ts';

/** Where the router finds each subgraph. */
export interface SubgraphUrls {
  readonly portico: string;
  readonly ratings: string;
}

/** The addresses in the supergraph that is committed. */
export const USUAL_URLS: SubgraphUrls = {
  portico: 'http://127.0.0.1:3000/graphql',
  ratings: 'http://127.0.0.1:4001/',
};

/**
 * @param porticoSdl by default the `subgraph.gql` that is shipped.
 * @returns the SDL of the supergraph.
 */
export async function composeSupergraph(
  urls: SubgraphUrls,
  porticoSdl: string | Promise<string> = readFile(new URL('../../subgraph.gql', import.meta.url), 'utf8'),
): Promise<string> {
  const result = composeServices([
    { name: 'portico', url: urls.portico, typeDefs: parse(await porticoSdl) },
    { name: 'ratings', url: urls.ratings, typeDefs: parse(RATINGS_SDL) },
  ]);
  assertCompositionSuccess(result);
  return `${result.supergraphSdl.trim()}\n`;
}
