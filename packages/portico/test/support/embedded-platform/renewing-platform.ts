import { randomUUID } from 'node:crypto';
import { eventually } from '../eventually.js';
import { type ScriptedPlatform, type SeenRequest, startScriptedPlatform } from './scripted-platform.js';

/** What a session of the platform is known by, and what it renews. */
export type Renewal = 'token' | 'cookie';

/** A platform that renews the token or the cookie of a session with an answer, and rejects the old one from then on. */
export interface RenewingPlatform extends ScriptedPlatform {
  /** The next read of each session renews it. Its answer is held until the condition is met. */
  renewNext(answerWhen?: () => boolean): void;
  /** How many calls were rejected. */
  rejections(): number;
  /** Ends every session, as a platform does that restarts. */
  endSessions(): void;
  /** Sessions that were begun and not ended. */
  openSessions(): number;
}

interface Session {
  readonly user: string;
  token: string;
  cookie: string;
  renewals: number;
}

/** @param rejection the code of the 401 answer for a session that the platform does not know. */
export async function startRenewingPlatform(
  renewal: Renewal,
  rejection: 'ERR009' | 'ERR003' = 'ERR009',
): Promise<RenewingPlatform> {
  const sessions = new Set<Session>();
  let rejections = 0;
  let wantedRenewals = 0;
  let mayAnswer = (): boolean => true;

  const sessionOf = ({ headers }: SeenRequest): Session | undefined =>
    [...sessions].find(
      ({ token, cookie }) =>
        headers['x-svc-authtoken'] === token && (headers.cookie ?? '').includes(`JSESSIONID=${cookie}`),
    );
  const credentials = ({ token, cookie }: Session): Record<string, string> => ({
    'x-svc-authtoken': token,
    'set-cookie': `JSESSIONID=${cookie}; Path=/`,
  });

  const platform = await startScriptedPlatform({
    'POST auth/login': (request, response) => {
      const user = (JSON.parse(request.body) as { username: string }).username;
      const session = { user, token: randomUUID(), cookie: randomUUID(), renewals: wantedRenewals };
      sessions.add(session);
      response.writeHead(204, credentials(session)).end();
    },
    '*': async (request, response) => {
      const session = sessionOf(request);
      if (session === undefined) {
        rejections += 1;
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: rejection, message: 'Login failed' }));
        return;
      }
      const { user } = session;
      const isRenewal = request.method === 'GET' && session.renewals < wantedRenewals;
      if (isRenewal) {
        session.renewals = wantedRenewals;
        session[renewal] = randomUUID();
      }
      const headers = isRenewal ? credentials(session) : {};
      if (isRenewal) await eventually(mayAnswer);
      if (request.path === 'auth/logout') sessions.delete(session);
      if (request.method !== 'GET') {
        response.writeHead(204, headers).end();
        return;
      }
      const owner = { id: user, fullName: user, name: user };
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(request.path === 'projects' ? [owner] : owner));
    },
  });
  return Object.defineProperties(platform as RenewingPlatform, {
    renewNext: {
      value: (answerWhen = (): boolean => true) => {
        wantedRenewals += 1;
        mayAnswer = answerWhen;
      },
    },
    rejections: { value: () => rejections },
    endSessions: {
      value: () => {
        sessions.clear();
      },
    },
    openSessions: { value: () => sessions.size },
  });
}
