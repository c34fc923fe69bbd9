import { print } from 'graphql';
import {
  type ProjectPageQuery,
  type ProjectPageQueryVariables,
  ProjectPageDocument,
} from '../generated/codegen/graphql.ts';
import { report, url } from './report.ts';

/** Codegen's types with plain fetch. */
await report(async (headers) => {
  const variables: ProjectPageQueryVariables = { first: 2 };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: print(ProjectPageDocument), variables }),
  });
  const answer = (await response.json()) as { data?: ProjectPageQuery; errors?: unknown[] };
  if (answer.errors) throw answer;
  return answer.data?.projectsConnection?.nodes.map(({ name }) => name) ?? [];
});
