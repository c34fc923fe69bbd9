import { initGraphQLTada } from 'gql.tada';
import { GraphQLClient } from 'graphql-request';
import type { introspection } from '../generated/tada.d.ts';
import { report, url } from './report.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSONObject: Record<string, unknown> };
}>();

const page = graphql(`
  query ProjectPage($first: Int!) {
    projectsConnection(first: $first, orderBy: NAME) {
      nodes {
        name
        dateModified
      }
    }
  }
`);

await report(async (headers) => {
  const data = await new GraphQLClient(url, { headers }).request(page, { first: 2 });
  return data.projectsConnection?.nodes.map(({ name }) => name) ?? [];
});
