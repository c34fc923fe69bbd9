import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A platform whose answers go by the user's name: `hundred`, `big`, `huge`, `deep`; whoever has the password `wrong` fails. */
export interface OverloadPlatform {
  readonly port: number;
  readonly origin: string;
  /** How long `GET projects` takes, in milliseconds. */
  slowness: number;
  /** How long each call takes, in milliseconds. */
  delay: number;
  /** Calls so far by `METHOD path`, and those whose caller was gone before the answer. */
  readonly calls: Map<string, number>;
  readonly aborted: number;
  /** Sessions that were begun and not ended. */
  readonly sessions: number;
  stop(): Promise<void>;
}

const DEEP_LEVELS = 5000;
const HUGE_BYTES = 5 * 1024 * 1024;

const project = (n: number): object => ({
  id: n.toString(16).toUpperCase().padStart(32, 'A'),
  name: `Project number ${n}`,
  description: 'What the project is for, in one line of text.',
  status: 0,
});
const list = (length: number): string => JSON.stringify(Array.from({ length }, (_, n) => project(n)));
const BIG = list(5000);
const HUNDRED = list(100);
const SMALL = list(10);
const HUGE = JSON.stringify([{ ...project(1), description: 'x'.repeat(HUGE_BYTES) }]);
const DEEP = `[{"id":"${'A'.repeat(32)}","name":"deep","raw":${'['.repeat(DEEP_LEVELS)}${']'.repeat(DEEP_LEVELS)}}]`;

function projectsOf(user: string): string {
  if (user.startsWith('big')) return BIG;
  if (user.startsWith('hundred')) return HUNDRED;
  if (user.startsWith('huge')) return HUGE;
  return user.startsWith('deep') ? DEEP : SMALL;
}

export async function startOverloadPlatform(): Promise<OverloadPlatform> {
  const users = new Map<string, string>();
  const calls = new Map<string, number>();
  let aborted = 0;
  const state = { slowness: 0, delay: 0 };
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      if (milliseconds === 0) resolve();
      else setTimeout(resolve, milliseconds);
    });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const call = `${request.method} ${(request.url ?? '').replace(/^\/api\/|\?.*$/g, '')}`;
    calls.set(call, (calls.get(call) ?? 0) + 1);
    response.once('close', () => {
      if (!response.writableFinished) aborted += 1;
    });
    await pause(state.delay);
    const json = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    if (call === 'POST auth/login') {
      const { username = 'guest', password } = JSON.parse(body) as { username?: string; password?: string };
      if (password === 'wrong') {
        json(401, '{"code":"ERR003","message":"Login failure"}');
        return;
      }
      const token = randomUUID();
      users.set(token, username);
      response.writeHead(204, { 'x-svc-authtoken': token, 'set-cookie': 'JSESSIONID=A; Path=/api' }).end();
      return;
    }
    const token = String(request.headers['x-svc-authtoken']);
    const user = users.get(token);
    if (user === undefined) {
      json(401, '{"code":"ERR009","message":"The session has expired."}');
      return;
    }
    if (call === 'POST auth/logout') users.delete(token);
    if (call === 'POST auth/logout' || call === 'PUT sessions') return void response.writeHead(204).end();
    if (call === 'GET projects') await pause(state.slowness);
    json(
      200,
      call === 'GET projects'
        ? projectsOf(user)
        : JSON.stringify({ id: user, fullName: user, timeout: 1800 }),
    );
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    calls,
    get slowness() {
      return state.slowness;
    },
    set slowness(milliseconds) {
      state.slowness = milliseconds;
    },
    get delay() {
      return state.delay;
    },
    set delay(milliseconds) {
      state.delay = milliseconds;
    },
    get aborted() {
      return aborted;
    },
    get sessions() {
      return users.size;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
