import { describe, expect, it, vi } from 'vitest';
import { startUserPlatform } from '../../../test/support/embedded-platform/user-platform.js';
import { MemoryStore } from '../src/memory-store.js';
import { type Adapter, startShop } from './start-shop.js';

const USERS = 100;
/** `npm run fuzz` asks for more. */
const REQUESTS = process.env.FUZZ === 'thorough' ? 20_000 : 1_000;
/** Long, so that a busy machine fails no test. */
const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const TIMEOUT_MS = 60_000;
vi.setConfig({ testTimeout: 300_000 });

describe.each<Adapter>(['express', 'fastify'])(
  `${REQUESTS} requests of ${USERS} users at once to a shop on %s`,
  (adapter) => {
    it('each get the answers of their own user only', async () => {
      const platform = await startUserPlatform({ forgetsRequests: true });
      const shop = await startShop(adapter, {
        platform: { baseUrl: platform.baseUrl, timeoutMs: TIMEOUT_MS },
        stores: { sessions: new MemoryStore(LIFE) },
      });
      try {
        const names = Array.from({ length: USERS }, (_, n) => `user ${n}`);
        const handles = await Promise.all(
          names.map(async (name) => {
            const login = `mutation { login(input: { username: "${name}", transport: BEARER }) { handle } }`;
            const { data } = await shop.ask(login);
            return String(data.login.handle);
          }),
        );
        let [sent, answered, mixed] = [0, 0, 0];
        const failures = new Set<string>();
        const askInTurn = async (user: number): Promise<void> => {
          while (sent < REQUESTS) {
            sent += 1;
            const headers = { authorization: `Bearer ${handles[user]}` };
            const { data, errors = [] } = await shop.ask(
              '{ greeting me { id } sessionStatus { id } }',
              headers,
            );
            for (const { extensions } of errors) {
              failures.add(`${String(extensions.code)} ${String(extensions.reason)}`);
            }
            const owners = [data?.me?.id, data?.sessionStatus?.id].filter((id) => id != null) as string[];
            if (owners.some((owner) => owner !== names[user])) mixed += 1;
            if (owners.length === 2) answered += 1;
          }
        };
        await Promise.all(names.map((_name, user) => askInTurn(user)));
        expect({ answered, mixed, failures: [...failures] }).toEqual({
          answered: REQUESTS,
          mixed: 0,
          failures: [],
        });
      } finally {
        await shop.close();
        await platform.close();
      }
    });
  },
);
