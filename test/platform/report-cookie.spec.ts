import { describe, expect, it } from 'vitest';
import { PlatformClient } from 'portico/client';
import { reportCookieOnce } from '../../src/platform/platform-client.factory.js';
import { startScriptedPlatform } from '../../packages/portico/test/support/embedded-platform/scripted-platform.js';

describe('a cookie that no request would send', () => {
  it('is reported once, with the setting to change and without its value', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: { 'X-SVC-AuthToken': 'abc', 'Set-Cookie': 'JSESSIONID=SECRET; Path=/Library' },
      },
    });
    const messages: string[] = [];
    const onUnusableCookie = reportCookieOnce({ warn: (message) => messages.push(message) });
    const client = new PlatformClient({ baseUrl: platform.baseUrl, onUnusableCookie });

    await client.openSession().login();
    await client.openSession().login();
    onUnusableCookie({ name: 'JSESSIONID', problem: 'secure' });
    await client.close();

    expect(messages).toEqual([
      'The platform\'s cookie "JSESSIONID" is never sent back: it is for another path than that of PLATFORM_BASE_URL. ' +
        'Set it to the path under which the platform itself runs.',
      'The platform\'s cookie "JSESSIONID" is never sent back: it is for https, but PLATFORM_BASE_URL begins with http:. ' +
        'Set it to the https: URL of the platform.',
    ]);
  });
});
