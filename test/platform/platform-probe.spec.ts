import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformProbe } from '../../src/platform/platform-probe.service.js';
import { startApp } from '../support/app/start-app.js';
import {
  loginAnswer,
  redirectTo,
} from '../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type Script,
  startScriptedPlatform,
} from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';

const LOGIN =
  'mutation { login(input: {username: "demo", password: "CANARY-PW", transport: BEARER}) { handle } }';

/** Without the lines that every answer of this kind has. */
const advice = (logged: readonly string[]): string[] =>
  logged.filter((line) => !line.startsWith('PlatformHttpError'));

describe('a service whose platform is not where it should be', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** What the log says after the start and two logins, and what /readyz shows. */
  async function startOver(script: Script): Promise<{ logged: string[]; atStart: unknown }> {
    const logged: string[] = [];
    const platform = await startScriptedPlatform(script);
    const service = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    vi.spyOn(Logger.prototype, 'error').mockImplementation((message) => logged.push(String(message)));
    await service.app.get(PlatformProbe).ask();
    const ready = await fetch(`${service.url}/readyz`);
    expect(ready.status).toBe(200);
    const { details } = (await ready.json()) as { details: { platform: { atStart: unknown } } };
    for (let n = 0; n < 2; n += 1) await service.graphql(LOGIN);
    await service.close();
    return { logged, atStart: details.platform.atStart };
  }

  it('starts, and its log and /readyz tell that an HTML page answers', async () => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>CANARY</html>' };
    const { logged, atStart } = await startOver({ '*': page });
    expect(atStart).toBe('WRONG_BASE_URL');
    expect(logged[0]).toMatch(/^The platform: .*\(HTTP 404\)\. PLATFORM_BASE_URL: set it to the REST root/);
    expect(logged.join()).not.toContain('CANARY');
  });

  it('logs once which header came when PLATFORM_HEADER_VENDOR expects another', async () => {
    const { logged, atStart } = await startOver({
      'GET status': { status: 200, body: { webVersion: '11.5.0900' } },
      'POST auth/login': { status: 204, headers: { 'X-MSTR-AuthToken': 'CANARY-TOKEN' } },
    });
    expect(atStart).toBe('ANSWERED');
    expect(advice(logged)).toEqual([
      'A login failed: the login brought its token in X-MSTR-AuthToken, where X-SVC-AuthToken is expected. PLATFORM_HEADER_VENDOR: set it to MSTR',
    ]);
  });

  it('logs the host that a login is redirected to', async () => {
    const { logged } = await startOver({
      'GET status': { status: 200, body: { webVersion: '11.5.0900' } },
      'POST auth/login': redirectTo('https://login.example/sign-on?ticket=CANARY'),
    });
    expect(advice(logged)).toEqual([
      expect.stringMatching(/^A login failed: the platform redirects to login\.example, /),
    ]);
    expect(logged.join()).not.toContain('CANARY');
  });

  it('logs nothing when all is well', async () => {
    const { logged, atStart } = await startOver({
      'GET status': { status: 200, body: { webVersion: '11.5.0900' } },
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
    });
    expect({ logged, atStart }).toEqual({ logged: [], atStart: 'ANSWERED' });
  });
});
