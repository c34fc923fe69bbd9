import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthService } from '../../../src/auth/auth.service.js';
import { callerAddress } from '../../../src/http/address.js';
import { LoginMode } from '../../../src/auth/login.input.js';
import { SessionTransport } from '../../../src/session/session.model.js';
import { LoginWatch } from '../../../src/auth/login-limits.service.js';
import { LoginFailedError } from 'portico/client';
import { type Answer } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { handle } }';
const NETWORKS = 22;
const FAILURES = 49;

describe('a flood of failed logins from many networks', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ TRUSTED_PROXIES: 'loopback' });
  });
  afterAll(() => app.close());

  const logIn = (username: string, password: string, address: string): Promise<Answer> =>
    app.graphql(LOGIN, {
      variables: { input: { username, password, transport: 'BEARER' } },
      headers: { 'x-forwarded-for': address },
    });
  /** Without HTTP, which would take most of the time. */
  const guess = (username: string, clientAddress: string): Promise<unknown> =>
    app.app
      .get(AuthService)
      .login(
        {
          requestId: 'guess',
          clientAddress,
          presented: undefined,
          network: callerAddress(clientAddress).network,
          signal: new AbortController().signal,
        },
        { username, password: 'guess', mode: LoginMode.STANDARD, transport: SessionTransport.BEARER },
      )
      .then(
        () => 'in',
        (error: unknown) => error,
      );
  const reasonOf = ({ errors }: Answer): unknown => errors?.[0]?.extensions.reason;

  it('refuses neither an honest user from another one, nor the attacked user where they logged in before, and is reported once', async () => {
    const home = '2001:db8:aaaa:1::7';
    expect(reasonOf(await logIn('demo', 'demo', home))).toBeUndefined();
    const outcomes = await Promise.all(
      Array.from({ length: NETWORKS }, async (_, network) => {
        const outcome: unknown[] = [];
        for (let n = 0; n < FAILURES; n += 1) {
          // Two guesses of each network are for the attacked user, the others for users who do not exist.
          const name = n < 2 ? 'demo' : `nobody-${n}`;
          outcome.push(await guess(name, `2001:db8:bbbb:${network}::${n + 1}`));
        }
        return outcome;
      }),
    );
    expect(outcomes.flat()).toHaveLength(NETWORKS * FAILURES);
    expect(outcomes.flat().filter((outcome) => !(outcome instanceof LoginFailedError))).toEqual([]);
    // Now the attacked user is over the limit of an account.
    for (const network of ['1', '2', '3', '4', '5', '6']) {
      await guess('demo', `2001:db8:cccc:${network}::1`);
    }
    const started = performance.now();
    const answers = await Promise.all([
      logIn('many-projects', 'demo', '2001:db8:dddd:1::1'),
      logIn('demo', 'demo', '2001:db8:aaaa:1::8'),
      logIn('demo', 'demo', '2001:db8:dddd:2::1'),
    ]);
    expect(performance.now() - started).toBeGreaterThan(1_900);
    expect(answers.map(reasonOf)).toEqual([undefined, undefined, undefined]);
    expect(app.app.get(LoginWatch).floodCount).toBe(1);
  }, 120_000);
});
