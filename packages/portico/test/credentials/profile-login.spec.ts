import { describe, expect, it } from 'vitest';
import { type LoginCredentials, LoginFailedError, PlatformHttpError } from '../../src/client/index.js';
import { logInByProfile } from '../../src/credentials/profile-login.js';
import { once } from '../../src/credentials/providers/once.js';
import { eventually } from '../support/eventually.js';
import { gate } from '../support/gate.js';
import { openSession } from '../support/client/logged-in.js';
import { errorAnswer, loginAnswer } from '../support/embedded-platform/platform-answers.js';
import {
  type ScriptedAnswer,
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../support/embedded-platform/scripted-platform.js';

const REFUSED = errorAnswer(401, 'ERR003', 'Login failed');
const BEFORE = { username: 'nightly', password: 'before', mode: 'standard', applicationType: 8 } as const;

/** A login by a profile whose credentials are at each fetch the next of these, and the last from then on. */
async function logIn(
  answers: readonly ScriptedAnswer[],
  fetched: readonly LoginCredentials[],
): Promise<{ platform: ScriptedPlatform; outcome: unknown; fetches: number }> {
  const platform = await startScriptedPlatform({ 'POST auth/login': answers });
  let fetches = 0;
  const credentials = once(
    () => {
      fetches += 1;
      return Promise.resolve({ ...(fetched[fetches - 1] ?? fetched.at(-1)) });
    },
    { ttlSeconds: Infinity },
  );
  const outcome = await logInByProfile(openSession(platform.baseUrl), credentials).then(
    () => 'logged in',
    (error: unknown) => error,
  );
  return { platform, outcome, fetches };
}

describe('a login by a profile', () => {
  it('fetches the credentials once if the platform takes them', async () => {
    const { platform, outcome, fetches } = await logIn([loginAnswer()], [BEFORE]);

    expect(outcome).toBe('logged in');
    expect({ fetches, logins: platform.requests.length }).toEqual({ fetches: 1, logins: 1 });
  });

  it.each<[string, LoginCredentials]>([
    ['user name', { ...BEFORE, username: 'weekly' }],
    ['password', { ...BEFORE, password: 'rotated' }],
    ['API key', { apiKey: 'rotated', applicationType: 8 }],
    ['mode', { ...BEFORE, mode: 'ldap' }],
    ['application type', { ...BEFORE, applicationType: 35 }],
  ])('that is refused is tried once more if another %s is fetched then', async (_what, after) => {
    const { platform, outcome } = await logIn([REFUSED, loginAnswer()], [BEFORE, after]);

    expect(outcome).toBe('logged in');
    expect(platform.requests).toHaveLength(2);
    expect(platform.requests[1]?.body).not.toBe(platform.requests[0]?.body);
  });

  it('that is refused by its API key is tried once more if another key is fetched then', async () => {
    const { platform, outcome } = await logIn(
      [REFUSED, loginAnswer()],
      [{ apiKey: 'before' }, { apiKey: 'rotated' }],
    );

    expect(outcome).toBe('logged in');
    expect(platform.requests).toHaveLength(2);
  });

  it('that is refused takes what another refused login has fetched meanwhile', async () => {
    const late = gate();
    const refused = JSON.stringify({ code: 'ERR003', message: 'Login failed' });
    const rotated = { ...BEFORE, password: 'rotated' };
    const platform = await startScriptedPlatform({
      'POST auth/login': [
        async (_request, response) => {
          await late.passed;
          response.writeHead(401, { 'content-type': 'application/json' }).end(refused);
        },
        REFUSED,
        loginAnswer(),
      ],
    });
    const fetched: LoginCredentials[] = [];
    const credentials = once(
      () => Promise.resolve(fetched[fetched.push(fetched.length === 0 ? BEFORE : rotated) - 1] ?? {}),
      { ttlSeconds: Infinity },
    );

    const first = logInByProfile(openSession(platform.baseUrl), credentials);
    await eventually(() => {
      expect(platform.requests).toHaveLength(1);
    });
    await logInByProfile(openSession(platform.baseUrl), credentials);
    late.open();
    await first;

    expect(fetched).toEqual([BEFORE, rotated]);
  });

  it('that is refused is not tried again with the same credentials, which would lock the account', async () => {
    const { platform, outcome, fetches } = await logIn([REFUSED, loginAnswer()], [BEFORE]);

    expect(outcome).toBeInstanceOf(LoginFailedError);
    expect({ fetches, logins: platform.requests.length }).toEqual({ fetches: 2, logins: 1 });
  });

  it('that is refused twice is not tried a third time', async () => {
    const { platform, outcome } = await logIn([REFUSED], [BEFORE, { ...BEFORE, password: 'rotated' }]);

    expect(outcome).toBeInstanceOf(LoginFailedError);
    expect(platform.requests).toHaveLength(2);
  });

  it('that fails for another reason than its credentials fetches none again', async () => {
    const { platform, outcome, fetches } = await logIn([{ status: 404 }], [BEFORE]);

    expect(outcome).toBeInstanceOf(PlatformHttpError);
    expect({ fetches, logins: platform.requests.length }).toEqual({ fetches: 1, logins: 1 });
  });
});
