import { Client, fetchExchange } from '@urql/core';
import { ProjectPageDocument } from '../generated/codegen/graphql.ts';
import { report, url } from './report.ts';

await report(async (headers) => {
  const client = new Client({
    url,
    exchanges: [fetchExchange],
    fetchOptions: { headers },
    preferGetMethod: false,
  });
  const { data, error } = await client.query(ProjectPageDocument, { first: 2 }).toPromise();
  if (error) throw error;
  return data?.projectsConnection?.nodes.map(({ name }) => name) ?? [];
});
