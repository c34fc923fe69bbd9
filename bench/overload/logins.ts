import { Redis } from 'ioredis';
import { request } from 'node:http';
import { isGood, login, type Scenario, type Service, tally } from './scenario.ts';

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

/** Logins: guessed, many at once, given up. */
export const LOGINS: readonly Scenario[] = [
  {
    id: 'guesses',
    what: '22 networks with 49 failed logins each, against one account; then an honest user from a 23rd network, and the owner from where they had logged in before',
    before: 'everybody is `RATE_LIMITED` for a minute',
    settings: { TRUSTED_PROXIES: 'loopback' },
    run: async (service: Service): Promise<string> => {
      await login(service, 'owner', 'right', from('198.51.100.7'));
      for (let network = 0; network < 22; network += 1) {
        const address = `2001:db8:${network.toString(16)}::1`;
        await Promise.all(Array.from({ length: 49 }, () => login(service, 'owner', 'wrong', from(address))));
      }
      const honest = await login(service, 'honest', 'right', from('203.0.113.9'));
      const owner = await login(service, 'owner', 'right', from('198.51.100.7'));
      return `honest user: ${tally([honest])}; owner: ${tally([owner])}`;
    },
  },
  {
    id: 'many-logins',
    what: '1,000 good logins at once, sessions in Redis',
    before: '400: 215 Redis commands each; 1,000: 609 end as `SESSION_STORE_UNAVAILABLE`',
    redis: true,
    run: async (service: Service): Promise<string> => {
      const before = await commands(service);
      const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => login(service, `user ${n}`)));
      const each = (((await commands(service)) - before) / answers.length).toFixed(1);
      return `${tally(answers)}; ${each} Redis commands each`;
    },
  },
  {
    id: 'hung-up-logins',
    what: '300 logins whose callers hang up after 20 ms, on a platform that takes 200 ms',
    before: '300 logins are made, and their sessions are reachable by nobody',
    run: async (service: Service): Promise<string> => {
      service.platform.delay = 200;
      await Promise.all(Array.from({ length: 300 }, (_, n) => hangUp(service.port, `user ${n}`)));
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const { calls, sessions } = service.platform;
      const works = isGood(await login(service, 'next')) ? '' : '; the next login FAILS';
      return `${calls.get('POST auth/login') ?? 0} logins at the platform, ${sessions} sessions left there${works}`;
    },
  },
];

async function commands({ redis }: Service): Promise<number> {
  const admin = new Redis(redis?.url ?? '');
  const text = await admin.info('stats');
  admin.disconnect();
  return Number(/total_commands_processed:(\d+)/.exec(text)?.[1]);
}

function hangUp(port: number, user: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const call = request({
      host: '127.0.0.1',
      port,
      path: '/graphql',
      method: 'POST',
      agent: false,
      headers,
    });
    call.on('error', () => undefined).on('close', resolve);
    call.end(
      JSON.stringify({
        query: `mutation { login(input: {username: "${user}", password: "x"}) { expiresAt } }`,
      }),
    );
    setTimeout(() => call.destroy(), 20);
  });
}
