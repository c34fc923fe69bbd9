import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeSupergraph } from '../../../examples/federation/compose.ts';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import { startScriptedPlatform } from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import { APOLLO_GATEWAY, HIVE_GATEWAY, runGateway, stopGateways } from '../../support/graphql/run-gateway.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const SECRET = 'only-the-router-knows';
const STARTING_MS = 90_000;

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY])(
  'a time-out of $name that is shorter than that of Portico',
  (kind) => {
    let portico: TestApp;
    let ratings: RunningSubgraph;
    let graphql: GraphQLCaller;
    let asked = 0;
    let aborted = 0;
    beforeAll(async () => {
      asked = 0;
      aborted = 0;
      const platform = await startScriptedPlatform({
        'POST auth/login': { status: 204, headers: { 'x-svc-authtoken': 'token-of-a-user' } },
        'POST auth/logout': { status: 204 },
        'GET projects': (_request, response) => {
          asked += 1;
          response.once('close', () => {
            if (!response.writableFinished) aborted += 1;
          });
        },
      });
      [portico, ratings] = await Promise.all([
        startApp({ PLATFORM_BASE_URL: platform.baseUrl, FEDERATION_SECRET: SECRET }),
        startRatingsSubgraph(0, new Map([['A', [3]]])),
      ]);
      const supergraph = await composeSupergraph({ portico: `${portico.url}/graphql`, ratings: ratings.url });
      const environment = { FEDERATION_SECRET: SECRET, SUBGRAPH_TIMEOUT_MS: '500' };
      ({ graphql } = await runGateway(kind, supergraph, environment));
    }, STARTING_MS);
    afterAll(async () => {
      await stopGateways();
      await Promise.all([portico.close(), ratings.stop()]);
    });

    it.each([
      ['root fields', '{ projects { id } }'],
      ['entities', '{ topRated { rating name } }'],
    ])('ends the call of the platform, for %s', async (_what, query) => {
      const before = aborted;
      const handle = await bearerHandle(portico.graphql, { username: 'demo', password: 'demo' });
      const { errors } = await graphql(query, { handle });
      expect(errors?.map(({ extensions }) => [extensions.code, extensions.retryable])).toEqual([
        ['UPSTREAM_TIMEOUT', true],
      ]);
      await eventually(() => aborted === before + 1);
      expect(asked).toBe(aborted);
    });
  },
);
