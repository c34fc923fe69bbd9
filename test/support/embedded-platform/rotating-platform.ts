import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startWatchedPlatform, type WatchedPlatform } from './watched-platform.js';

/** An embedded platform whose demo password can be changed, behind a proxy that counts the calls. */
export interface RotatingPlatform extends WatchedPlatform {
  /** The status of every `POST auth/login` so far. */
  readonly logins: readonly number[];
  /** How many calls of a method and path have come, such as `POST auth/logout`. */
  calls(operation: string): number;
  /** From now on this is the one password that logs in; the embedded platform goes on with its own. */
  changePassword(password: string): void;
  /** Lets no further login through before the condition holds. */
  holdLogins(until: () => boolean): void;
}

const LOGIN = 'POST auth/login';
const OWN_PASSWORD = 'demo';

export async function startRotatingPlatform(): Promise<RotatingPlatform> {
  const logins: number[] = [];
  const counts = new Map<string, number>();
  let current = OWN_PASSWORD;
  let mayLogIn = (): boolean => true;
  const platform = await startWatchedPlatform({
    onCall: (operation) => counts.set(operation, (counts.get(operation) ?? 0) + 1),
    onAnswer: ({ statusCode = 0 }, operation) => {
      if (operation === LOGIN) logins.push(statusCode);
    },
    changeBody: async (operation, body) => {
      if (operation !== LOGIN) return body;
      await eventually(mayLogIn);
      return withOwnPassword(body, current);
    },
  });
  return {
    ...platform,
    logins,
    calls: (operation) => counts.get(operation) ?? 0,
    changePassword: (password) => void (current = password),
    holdLogins: (until) => void (mayLogIn = until),
  };
}

/** The current password becomes the platform's own; any other becomes one that it does not know. */
function withOwnPassword(text: string, current: string): string {
  const login = JSON.parse(text) as { password?: string };
  if (login.password === undefined) return text;
  return JSON.stringify({ ...login, password: login.password === current ? OWN_PASSWORD : 'not this one' });
}
