import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Renewal,
  type RenewingPlatform,
  startRenewingPlatform,
} from '../../../packages/portico/test/support/embedded-platform/renewing-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type Answer, bearerHandleAtLast } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const DOCUMENT = '{ me { id } sessionStatus { id } projects { id } }';
const DATA = { me: { id: 'alice' }, sessionStatus: { id: 'alice' }, projects: [{ id: 'alice' }] };
const ROUNDS = 5;

suite(`a session that the platform renews (${redisMissing ?? 'a redis-server that the test owns'})`, () => {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  describe.each<[Renewal, string]>([
    ['token', 'undici'],
    ['token', 'got'],
    ['cookie', 'undici'],
    ['cookie', 'got'],
  ])('with a new %s, by %s, while two instances use it,', (renewal, transport) => {
    let platform: RenewingPlatform;
    let instances: TestApp[];
    beforeAll(async () => {
      platform = await startRenewingPlatform(renewal);
      const environment = {
        SESSION_STORE: 'redis',
        REDIS_URL: redis.url,
        SESSION_KEYS: sessionKeysSetting(),
        PLATFORM_BASE_URL: platform.baseUrl,
        PLATFORM_TRANSPORT: transport,
      };
      instances = await Promise.all([startApp(environment), startApp(environment)]);
    });
    afterAll(async () => {
      await Promise.all(instances.map((instance) => instance.close()));
      await platform.close();
    });

    it.each([
      ['one document', 1],
      ['parallel requests', 5],
    ])('is lost by none, %s each', async (_requests, requests) => {
      const [one] = instances;
      if (one === undefined) throw new Error('no instance');
      const logins = platform.count('POST auth/login');
      const handle = await bearerHandleAtLast(one.graphql, { username: 'alice', password: 'password' });

      for (let round = 0; round < ROUNDS; round += 1) {
        const rejected = platform.rejections();
        // Five of six calls carry what is no longer valid; three of them belong to the instance that does not get the new one.
        platform.renewNext(() => platform.rejections() >= rejected + 3);
        const answers: Answer[] = await Promise.all(
          instances.flatMap(({ graphql }) =>
            Array.from({ length: requests }, () => graphql(DOCUMENT, { handle })),
          ),
        );

        expect(answers.map(({ data, errors }) => ({ data: data as unknown, errors }))).toEqual(
          Array(2 * requests).fill({ data: DATA, errors: undefined }),
        );
      }
      for (const { graphql } of instances) {
        expect((await graphql('{ hasSession }', { handle })).data).toEqual({ hasSession: true });
      }
      expect(platform.openSessions()).toBe(1);
      expect(platform.count('POST auth/login') - logins).toBe(1);
      await one.graphql('mutation { logout { loggedOut } }', { handle });
      await eventually(() => platform.openSessions() === 0);
    });
  });
});
