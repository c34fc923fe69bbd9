import { defineConfig } from '@graphql-mesh/compose-cli';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';

export const composeConfig = defineConfig({
  subgraphs: [
    {
      sourceHandler: loadOpenAPISubgraph('Platform', {
        source: './openapi.json',
        endpoint: process.env.PLATFORM,
        operationHeaders: {
          'x-svc-authtoken': "{context.headers['x-svc-authtoken']}",
          cookie: '{context.headers.cookie}',
        },
      }),
    },
  ],
});
