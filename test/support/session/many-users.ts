import { Agent, request } from 'undici';
import { bearerHandleAtLast } from '../graphql/graphql-caller.js';
import { sessionKeysSetting } from './session-keys.js';
import { startApp, type TestApp } from '../app/start-app.js';
import { type RunningRedis } from './start-redis.js';
import { type UserPlatform } from '../embedded-platform/user-platform.js';

const IN_FLIGHT = 40;
const ABORTED_PART = 0.05;
const KILL_CONNECTIONS_EVERY = 1000;
const QUERIES = ['{ me { id } }', '{ sessionStatus { id } }', '{ projects { id } }'].map((query) =>
  JSON.stringify({ query }),
);

/** What came of many users at once. */
export interface ManyUsersFigures {
  readonly requests: number;
  readonly answered: number;
  readonly aborted: number;
  /** Answers that say that the store could not be asked, as they may while its connection is cut. */
  readonly unavailable: number;
  readonly otherFailures: readonly string[];
  /** Answers with anything of another user in them. */
  readonly foreign: number;
  readonly connectionsKilled: number;
  readonly requestsPerSecond: number;
}

interface Fields {
  readonly data?: {
    readonly me?: { id: string } | null;
    readonly sessionStatus?: { id: string } | null;
    readonly projects?: readonly { id: string }[] | null;
  };
  readonly errors?: readonly { extensions: { code: string } }[];
}

/** Many users ask who they are, some of them hang up, and Redis drops its connections now and then. */
export async function manyUsers(
  redis: RunningRedis,
  platform: UserPlatform,
  size: { readonly users: number; readonly requests: number },
): Promise<ManyUsersFigures> {
  const app = await startApp({
    SESSION_STORE: 'redis',
    REDIS_URL: redis.url,
    SESSION_KEYS: sessionKeysSetting(),
    PLATFORM_BASE_URL: platform.baseUrl,
    PLATFORM_TRANSPORT: 'undici',
  });
  const agent = new Agent({ connections: IN_FLIGHT, pipelining: 1 });
  try {
    const handles: string[] = [];
    for (let n = 0; n < size.users; n += 1) {
      handles.push(await bearerHandleAtLast(app.graphql, { username: `user ${n}` }));
    }
    return await askInTurn(app, agent, redis, handles, size.requests);
  } finally {
    await agent.close();
    await app.close();
  }
}

async function askInTurn(
  app: TestApp,
  agent: Agent,
  redis: RunningRedis,
  handles: readonly string[],
  requests: number,
): Promise<ManyUsersFigures> {
  let sent = 0;
  let [answered, aborted, unavailable, foreign, connectionsKilled] = [0, 0, 0, 0, 0];
  const otherFailures = new Set<string>();

  const ask = async (user: number): Promise<void> => {
    const hangUp = new AbortController();
    const timer =
      Math.random() < ABORTED_PART
        ? setTimeout(() => {
            hangUp.abort();
          }, Math.random() * 20)
        : undefined;
    try {
      const { body } = await request(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${handles[user] ?? ''}` },
        body: QUERIES[Math.floor(Math.random() * QUERIES.length)],
        dispatcher: agent,
        signal: hangUp.signal,
      });
      const { data, errors = [] } = (await body.json()) as Fields;
      answered += 1;
      if (errors.some(({ extensions }) => extensions.code === 'SESSION_STORE_UNAVAILABLE')) unavailable += 1;
      for (const { extensions } of errors) {
        if (extensions.code !== 'SESSION_STORE_UNAVAILABLE') otherFailures.add(extensions.code);
      }
      const owners = [data?.me?.id, data?.sessionStatus?.id, ...(data?.projects ?? []).map(({ id }) => id)];
      if (owners.some((owner) => owner !== undefined && owner !== `user ${user}`)) foreign += 1;
    } catch (error) {
      if (hangUp.signal.aborted) aborted += 1;
      else otherFailures.add(String(error));
    } finally {
      clearTimeout(timer);
    }
  };
  const worker = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      if (sent % KILL_CONNECTIONS_EVERY === 0) {
        connectionsKilled += Number(
          await redis.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
        );
      }
      await ask(Math.floor(Math.random() * handles.length));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const requestsPerSecond = Math.round(requests / ((performance.now() - began) / 1000));
  return {
    requests,
    answered,
    aborted,
    unavailable,
    otherFailures: [...otherFailures],
    foreign,
    connectionsKilled,
    requestsPerSecond,
  };
}
