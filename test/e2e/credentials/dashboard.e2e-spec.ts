import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runDashboard } from '../../../examples/dashboard-backend.js';
import { profileYaml } from '../../support/credentials/profile-yaml.js';
import { runNode } from '../../../packages/portico/test/support/app/run-node.js';
import { startProfileApp } from '../../support/credentials/start-profile-app.js';

const KEY = 'the-key-of-the-profile';

describe('examples/dashboard-backend.ts', () => {
  it('survives three expiries of its platform session: one login each, under one handle', async () => {
    const running = await startProfileApp(profileYaml({ name: 'dashboard', key: KEY }));
    const { app, platform, secrets } = running;
    secrets.put('portico', JSON.stringify({ username: 'short-session', password: 'demo' }));
    const logins: number[] = [];
    function* schedule(): Generator<void> {
      for (let expiries = 1; expiries <= 3; expiries += 1) {
        logins.push(platform.logins.length);
        platform.clock.advance(6000);
        yield;
      }
    }
    const shown: string[] = [];

    await runDashboard({
      serviceUrl: app.url,
      profile: 'dashboard',
      profileKey: KEY,
      schedule: schedule(),
      show: (line) => shown.push(line),
    });

    expect(shown).toEqual([
      ...Array<unknown>(4).fill(expect.stringMatching(/^Shay Shortsession has \d+ projects\.$/)),
      'Logged out.',
    ]);
    expect(logins).toEqual([1, 2, 3]);
    expect(platform.logins).toEqual([204, 204, 204, 204]);
    expect(secrets.fetches).toBe(4);
    await running.close();
  });

  it('outlives what may be over by the next time, and a logout that fails hides no error', async () => {
    const failure = (code: string, retryable = false): string =>
      JSON.stringify({ errors: [{ message: 'told', extensions: { code, retryable } }] });
    const page = JSON.stringify({ data: { me: { fullName: 'Ada' }, projects: [] } });
    const answers = [
      JSON.stringify({ data: { login: { handle: 'handle' } } }),
      page,
      failure('UPSTREAM_UNAVAILABLE', true),
      undefined,
      '<html>Bad gateway</html>',
      page,
      failure('FORBIDDEN'),
      failure('SESSION_STORE_UNAVAILABLE', true),
    ];
    const service = createServer((request, response) => {
      request.resume();
      const answer = answers.shift();
      if (answer === undefined) request.socket.destroy();
      else response.end(answer);
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const { code, stdout, stderr } = await runNode(
      ['examples/dashboard-backend.ts', url, 'dashboard', '0.01'],
      { env: { PROFILE_KEY: KEY } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('FORBIDDEN: told');
    expect(stdout.trim().split('\n')).toEqual([
      'Ada has 0 projects.',
      'Not refreshed: UPSTREAM_UNAVAILABLE: told',
      expect.stringMatching(/^Not refreshed: /),
      expect.stringMatching(/^Not refreshed: /),
      'Ada has 0 projects.',
      'Not logged out: SESSION_STORE_UNAVAILABLE: told',
    ]);
    service.close();
    service.closeAllConnections();
  });

  it('runs on its own', async () => {
    const { code, stdout, stderr } = await runNode(['examples/dashboard-backend.ts']);
    const projects: unknown = expect.stringMatching(/^Shay Shortsession has \d+ projects\.$/);
    expect(stdout.split('\n')).toEqual([
      projects,
      ...[1, 2, 3].flatMap((minute) => [`Minute ${minute}: the platform session has expired.`, projects]),
      'Logged out.',
      '',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('says what is wrong with a login', async () => {
    const running = await startProfileApp(profileYaml({ name: 'dashboard', key: KEY }));
    const { code, stdout, stderr } = await runNode(
      ['examples/dashboard-backend.ts', running.app.url, 'dashboard'],
      { env: { PROFILE_KEY: 'not the key' } },
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('UNAUTHENTICATED: Login failed');
    expect(stderr).not.toContain('not the key');
    await running.close();
  });
});
