import { Environment, fetchQuery, type GraphQLTaggedNode, Network, RecordSource, Store } from 'relay-runtime';
import query, { type ProjectPageQuery } from '../generated/relay/ProjectPageQuery.graphql.ts';
import { report, url } from './report.ts';

await report(async (headers) => {
  const environment = new Environment({
    store: new Store(new RecordSource()),
    network: Network.create(async ({ text }, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: text, variables }),
      });
      const answer = (await response.json()) as { data: Record<string, unknown>; errors?: [] };
      // Relay itself ignores errors that come with data.
      if (answer.errors) throw Object.assign(new Error('The answer has errors.'), { errors: answer.errors });
      return answer;
    }),
  });
  const data = await fetchQuery<ProjectPageQuery>(environment, query as GraphQLTaggedNode, {
    first: 2,
  }).toPromise();
  if (!data?.projectsConnection) throw new Error('There are no projects.');
  return data.projectsConnection.edges.map(({ node }) => node.name);
});
