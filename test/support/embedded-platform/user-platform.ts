import { randomUUID } from 'node:crypto';
import {
  type Script,
  type ScriptedAnswer,
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';

/** A platform where anyone may log in and every answer names its owner, so that a mix-up shows. */
export interface UserPlatform extends ScriptedPlatform {
  /** Sessions that were begun and not ended. */
  openSessions(): number;
  /** Ends every session, as a platform does that restarts. */
  endSessions(): void;
  /** Runs before every answer to a call of the route, such as `PUT sessions`. */
  before(route: string, wait: () => Promise<void>): void;
}

interface OwnerAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

/**
 * @param options.newCookieEachRead every read brings a new cookie, as some load balancers do: each one is a change to store.
 * @param options.forgetsRequests it counts no requests, for more of them than memory should hold.
 */
export async function startUserPlatform(
  options: { readonly newCookieEachRead?: boolean; readonly forgetsRequests?: boolean } = {},
): Promise<UserPlatform> {
  const owners = new Map<string, string>();
  const waits = new Map<string, () => Promise<void>>();
  const { newCookieEachRead = false, forgetsRequests = false } = options;

  const route = (name: string, answer: (owner: string, token: string) => OwnerAnswer): ScriptedAnswer =>
    async function answerOwner(request, response) {
      await waits.get(name)?.();
      const token = String(request.headers['x-svc-authtoken']);
      const owner = owners.get(token);
      if (owner === undefined) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'ERR009', message: 'The session has expired' }));
        return;
      }
      const { status = 200, body } = answer(owner, token);
      const cookie = newCookieEachRead ? { 'set-cookie': `node=${randomUUID()}; Path=/` } : {};
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      response.writeHead(status, { ...type, ...cookie });
      response.end(body === undefined ? '' : JSON.stringify(body));
    };

  const script: Script = {
    'POST auth/login': async (request, response) => {
      await waits.get('POST auth/login')?.();
      const token = randomUUID();
      owners.set(token, (JSON.parse(request.body) as { username: string }).username);
      response.writeHead(204, {
        'x-svc-authtoken': token,
        'set-cookie': `JSESSIONID=${randomUUID()}; Path=/`,
      });
      response.end();
    },
    'POST auth/logout': route('POST auth/logout', (_owner, token) => {
      owners.delete(token);
      return { status: 204 };
    }),
    'PUT sessions': route('PUT sessions', () => ({ status: 204 })),
    'GET sessions': route('GET sessions', (owner) => ({
      body: { id: owner, fullName: owner, timeout: 1800 },
    })),
    'GET sessions/userInfo': route('GET sessions/userInfo', (owner) => ({
      body: { id: owner, fullName: owner },
    })),
    'GET projects': route('GET projects', (owner) => ({
      body: [{ id: owner, name: `project of ${owner}` }],
    })),
  };
  const platform = await startScriptedPlatform(script, { remembers: !forgetsRequests });
  return Object.defineProperties(platform as UserPlatform, {
    openSessions: { value: () => owners.size },
    endSessions: {
      value: () => {
        owners.clear();
      },
    },
    before: { value: (name: string, wait: () => Promise<void>) => waits.set(name, wait) },
  });
}
