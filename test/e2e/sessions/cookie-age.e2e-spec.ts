import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import {
  answerAtLast,
  bearerHandleAtLast,
  type GraphQLCaller,
} from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { runService, stopServices } from '../../support/app/run-service.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { skewedClock } from '../../support/session/skewed-clock.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const TEN_MINUTES = 600_000;

suite(
  `the age of a platform cookie, with instances ten minutes apart (${redisMissing ?? 'redis started here'})`,
  () => {
    let folder: Awaited<ReturnType<typeof tempFolder>>;
    let redis: RunningRedis;
    let platform: ScriptedPlatform;
    let services: { readonly graphql: GraphQLCaller }[];
    let onTime: TestApp;
    beforeAll(async () => {
      folder = await tempFolder();
      redis = await startRedis();
      platform = await startScriptedPlatform({
        'POST auth/login': (_request, response) => {
          response.writeHead(204, {
            'x-svc-authtoken': 'token',
            'set-cookie': 'node=1; Path=/; Max-Age=300',
          });
          response.end();
        },
        'GET sessions/userInfo': (request, response) => {
          const isKnown = (request.headers.cookie ?? '').includes('node=1');
          response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
          response.end(JSON.stringify(isKnown ? { id: 'alice' } : { code: 'ERR009', message: 'expired' }));
        },
      });
      const environment = {
        SESSION_STORE: 'redis',
        REDIS_URL: redis.url,
        SESSION_KEYS: sessionKeysSetting(),
        PLATFORM_BASE_URL: platform.baseUrl,
      };
      onTime = await startApp(environment);
      const others = [TEN_MINUTES, -TEN_MINUTES].map((skew) =>
        runService(folder.path, { ...environment, ...skewedClock(skew) }),
      );
      services = [onTime, ...(await Promise.all(others))];
    });
    afterAll(async () => {
      await stopServices();
      await onTime.close();
      await platform.close();
      await redis.close();
      await folder.remove();
    });

    it('counts from the clock of the store, wherever the session began and is used', async () => {
      for (const began of services) {
        const handle = await bearerHandleAtLast(began.graphql, { username: 'alice' });
        for (const used of services) {
          const { data, errors } = await answerAtLast(() => used.graphql('{ me { id } }', { handle }));
          expect({ data, errors }).toEqual({ data: { me: { id: 'alice' } }, errors: undefined });
        }
      }
    });
  },
);
