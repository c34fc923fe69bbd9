import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fullList, projectsOf } from './projects.ts';

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

/** What does not go by the user's name, for as long as the platform runs. */
export interface Conduct {
  /** The length of the list that every user gets, with all fields of a real platform. */
  readonly projects?: number;
  /** A gateway in front of the platform answers `GET projects` of anonymous sessions with 503. */
  readonly failsGuests?: boolean;
  /** How long a login takes, in milliseconds. */
  readonly loginDelay?: number;
}

const GUEST = 'guest';
const UNAVAILABLE = '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>';

export async function startOverloadPlatform(conduct: Conduct = {}): Promise<OverloadPlatform> {
  const { failsGuests = false, loginDelay = 0 } = conduct;
  const sameForAll = conduct.projects === undefined ? undefined : fullList(conduct.projects);
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
    const json = (status: number, text: string | Buffer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    if (call === 'POST auth/login') {
      await pause(loginDelay);
      const { username = GUEST, password } = JSON.parse(body) as { username?: string; password?: string };
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
    if (call === 'GET projects' && failsGuests && user === GUEST) {
      response.writeHead(503, { 'content-type': 'text/html' }).end(UNAVAILABLE);
      return;
    }
    if (call === 'GET projects') await pause(state.slowness);
    json(
      200,
      call === 'GET projects'
        ? (sameForAll ?? projectsOf(user))
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
