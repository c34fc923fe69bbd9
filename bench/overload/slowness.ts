import { connect } from 'node:net';
import { request } from 'node:http';
import { type Headers } from '../load/ask.ts';
import {
  isGood,
  login,
  p99,
  probeDuring,
  query,
  type Scenario,
  type Service,
  session,
  tally,
  timed,
} from './scenario.ts';

const ME = '{ me { id } }';
const PROJECTS = '{ projects { id } }';
const LOGOUT = 'mutation { logout { loggedOut } }';

async function sessions(service: Service, count: number, name: string): Promise<Headers[]> {
  const all: Headers[] = [];
  for (let n = 0; n < count; n += 1) all.push(await session(service, `${name} ${n}`));
  return all;
}

/** Milliseconds to a login, a read and a logout of others, one after the other. */
async function others(service: Service, rounds: number): Promise<string> {
  const times: Record<'login' | '`me`' | 'logout', number[]> = { login: [], '`me`': [], logout: [] };
  for (let n = 0; n < rounds; n += 1) {
    let headers: Headers = {};
    times.login.push(await timed(async () => (headers = await session(service, `other ${n}`))));
    times['`me`'].push(await timed(() => query(service, ME, headers)));
    times.logout.push(await timed(() => query(service, LOGOUT, headers)));
  }
  return Object.entries(times)
    .map(([what, list]) => `${what} p99 ${p99(list)}`)
    .join(', ');
}

/** A slow platform, callers who hang up, slow senders. */
export const SLOWNESS: readonly Scenario[] = [
  {
    id: 'slow-projects',
    what: '80 users on a `GET projects` that takes 6 s; others log in, read `me`, log out',
    before: 'all of them wait 6 s',
    run: async (service: Service): Promise<string> => {
      const users = await sessions(service, 80, 'slow');
      service.platform.slowness = 6000;
      const load = Promise.all(users.map((headers) => query(service, PROJECTS, headers)));
      await new Promise((resolve) => setTimeout(resolve, 500));
      const result = await others(service, 20);
      return `${result}; the 80: ${tally(await load)}`;
    },
  },
  {
    id: 'in-flight',
    what: '2,000 requests of 2,000 sessions in flight on a platform that takes 2 s; others meanwhile',
    before: 'not measured',
    run: async (service: Service): Promise<string> => {
      const users = await sessions(service, 2000, 'waiting');
      service.platform.slowness = 2000;
      const load = Promise.all(users.map((headers) => query(service, PROJECTS, headers)));
      const probes = probeDuring(service, load);
      // They are in flight when all of them have been read: that takes the CPU for a second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const typename: number[] = [];
      for (let n = 0; n < 20; n += 1) typename.push(await timed(() => query(service, '{ __typename }')));
      const result = await others(service, 10);
      return `\`/livez\` p99 ${p99(await probes)}, \`__typename\` p99 ${p99(typename)}, ${result}; the 2,000: ${tally(await load)}`;
    },
  },
  {
    id: 'large-answers',
    what: 'a user whose list is over 4 MiB asks 100 times, beside 50 others',
    before: 'the circuit opens for everybody',
    run: async (service: Service): Promise<string> => {
      const huge = await session(service, 'huge');
      const users = await sessions(service, 50, 'other');
      const load = Promise.all(Array.from({ length: 100 }, () => query(service, PROJECTS, huge)));
      const answers = [];
      for (let round = 0; round < 5; round += 1) {
        answers.push(...(await Promise.all(users.map((headers) => query(service, PROJECTS, headers)))));
      }
      return `the others: ${tally(answers)}; the user: ${tally(await load)}`;
    },
  },
  {
    id: 'hung-up-reads',
    what: '40 readers of a `GET projects` of 3 s who hang up after 0.5 s',
    before: '0 platform calls are aborted',
    run: async (service: Service): Promise<string> => {
      const users = await sessions(service, 40, 'reader');
      service.platform.slowness = 3000;
      const { aborted } = service.platform;
      await Promise.all(users.map((headers) => hangUp(service.port, headers)));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return `${service.platform.aborted - aborted} platform calls are aborted within a second`;
    },
  },
  {
    id: 'slow-senders',
    what: 'headers, and a body, sent a byte a second; beside them a reader',
    before: 'headers are held 30 s, a body 90 s',
    run: async (service: Service): Promise<string> => {
      const head =
        'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 500\r\n';
      const [headers, body] = await Promise.all([
        timed(() => drip(service.port, `${head}x-slow: `)),
        timed(() => drip(service.port, `${head}\r\n`)),
      ]);
      const next = isGood(await login(service, 'next')) ? '' : '; the next login FAILS';
      return `headers are cut off after ${(headers / 1000).toFixed(1)} s, a body after ${(body / 1000).toFixed(1)} s${next}`;
    },
  },
];

function hangUp(port: number, headers: Headers): Promise<void> {
  return new Promise((resolve) => {
    const call = request({
      host: '127.0.0.1',
      port,
      path: '/graphql',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    });
    call.on('error', () => undefined).on('close', resolve);
    call.end(JSON.stringify({ query: PROJECTS }));
    setTimeout(() => call.destroy(), 500);
  });
}

function drip(port: number, first: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(first));
    const timer = setInterval(() => socket.write(' '), 1000);
    const limit = setTimeout(() => socket.destroy(), 120_000);
    socket.resume().on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve();
    });
  });
}
