import { describe, expect, it } from 'vitest';
import { startApp } from '../../support/app/start-app.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startHttpProxy } from '../../../packages/portico/test/support/http-proxy.js';

describe.each(['got', 'undici'])('a service whose only way out is a proxy, by %s,', (transport) => {
  it.each(['PLATFORM_PROXY_URL', 'HTTP_PROXY'])('reaches the platform with %s', async (name) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions/userInfo': { status: 200, body: { id: 'U' } },
      '*': { status: 204 },
    });
    const proxy = await startHttpProxy('user:pass');
    const app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      PLATFORM_TRANSPORT: transport,
      [name]: `http://user:pass@127.0.0.1:${proxy.port}`,
    });
    try {
      const handle = await bearerHandle(app.graphql, { username: 'user', password: 'password' });

      const { data } = await app.graphql('{ me { id } }', { handle });
      await app.graphql('mutation { logout { loggedOut } }', { handle });

      expect(data).toEqual({ me: { id: 'U' } });
      expect(proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual(
        platform.requests.map(({ method, path }) => `${method} ${platform.baseUrl}${path}`),
      );
      expect(platform.count('POST auth/logout')).toBe(1);
      for (const { headers } of platform.requests) expect(headers).not.toHaveProperty('proxy-authorization');
    } finally {
      await app.close();
    }
  });
});
