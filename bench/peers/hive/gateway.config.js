import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({
  landingPage: false,
  graphiql: false,
  logging: 'error',
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({
      'x-svc-authtoken': request.headers.get('x-svc-authtoken'),
      cookie: request.headers.get('cookie'),
    }),
  },
});
