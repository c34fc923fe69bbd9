import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { startPlatform } from '../../../packages/portico/test/support/embedded-platform/start-platform.js';

/** An embedded platform whose demo password can be changed, behind a proxy that counts the calls. */
export interface RotatingPlatform {
  readonly baseUrl: string;
  readonly clock: ManualClock;
  /** The status of every `POST auth/login` so far. */
  readonly logins: readonly number[];
  /** How many calls of a method and path have come, such as `POST auth/logout`. */
  calls(operation: string): number;
  /** From now on this is the one password that logs in; the embedded platform goes on with its own. */
  changePassword(password: string): void;
  /** Lets no further login through before the condition holds. */
  holdLogins(until: () => boolean): void;
  close(): Promise<void>;
}

const OWN_PASSWORD = 'demo';

export async function startRotatingPlatform(): Promise<RotatingPlatform> {
  const platform = await startPlatform();
  const { hostname, port, pathname } = new URL(platform.baseUrl);
  const logins: number[] = [];
  const counts = new Map<string, number>();
  let current = OWN_PASSWORD;
  let mayLogIn = (): boolean => true;

  const proxy = createServer((incoming, outgoing) => {
    const operation = `${incoming.method ?? ''} ${(incoming.url ?? '').slice(pathname.length + 1)}`;
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const isLogin = operation === 'POST auth/login';
    void textOf(incoming).then(async (text) => {
      if (isLogin) await eventually(mayLogIn);
      const body = isLogin ? withOwnPassword(text, current) : text;
      const { host: _host, 'content-length': _length, ...headers } = incoming.headers;
      const forward = request(
        { hostname, port, method: incoming.method, path: incoming.url, headers },
        (answer) => {
          if (isLogin) logins.push(answer.statusCode ?? 0);
          outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(outgoing);
        },
      );
      forward.on('error', () => outgoing.destroy());
      forward.end(body);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    clock: platform.clock,
    logins,
    calls: (operation) => counts.get(operation) ?? 0,
    changePassword: (password) => void (current = password),
    holdLogins: (until) => void (mayLogIn = until),
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await platform.close();
    },
  };
}

/** The current password becomes the platform's own; any other becomes one that it does not know. */
function withOwnPassword(text: string, current: string): string {
  const login = JSON.parse(text) as { password?: string };
  if (login.password === undefined) return text;
  return JSON.stringify({ ...login, password: login.password === current ? OWN_PASSWORD : 'not this one' });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
