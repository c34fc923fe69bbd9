import { GraphQLClient } from 'graphql-request';
import { ProjectPageDocument } from '../generated/codegen/graphql.ts';
import { report, url } from './report.ts';

await report(async (headers) => {
  const data = await new GraphQLClient(url, { headers }).request(ProjectPageDocument, { first: 2 });
  return data.projectsConnection?.nodes.map(({ name }) => name) ?? [];
});
