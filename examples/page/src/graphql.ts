import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.js';

/** Documents whose results and variables are typed by Portico's schema: a missing field is a compiler error. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSONObject: Record<string, unknown> };
}>();

export type { FragmentOf, ResultOf } from 'gql.tada';
