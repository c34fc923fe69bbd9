import { expect, it } from 'vitest';

import { startPlatform } from '../../support/embedded-platform/start-platform.js';
import { PlainHttp } from './plain-http.js';

/** The vendor's R client: JSON, application type 35, and the raw `set-cookie` text sent back as its cookie. */
it.each([1, 8, 16])(
  "the vendor's R client logs in with mode %d, reads, extends and logs out",
  async (mode) => {
    await using platform = await startPlatform({ vendor: 'MSTR', path: '/MicroStrategyLibrary/api' });
    const http = new PlainHttp(platform.baseUrl, {
      'User-Agent': 'libcurl/8.5.0 r-curl/5.2.1 httr/1.4.7',
      'Accept-Encoding': 'deflate, gzip, br, zstd',
      Accept: 'application/json, text/xml, application/xml, */*',
    });
    const credentials = { username: 'demo', password: 'demo', loginMode: mode, applicationType: 35 };

    const login = await http.send(
      'POST auth/login',
      { 'Content-Type': 'application/json' },
      JSON.stringify(credentials),
    );
    expect(login.status).toBe(204);
    http.cookies.clear();
    const session = {
      'X-MSTR-AuthToken': String(login.headers['x-mstr-authtoken']),
      Cookie: login.headers['set-cookie']?.[0] ?? '',
    };

    expect((await http.send('GET status')).status).toBe(200);
    expect((await http.send('GET sessions/userInfo', session)).status).toBe(200);
    expect(JSON.parse((await http.send('GET projects', session)).body)).toHaveLength(mode === 8 ? 3 : 12);
    expect((await http.send('PUT sessions', session)).status).toBe(204);
    expect((await http.send('POST auth/logout', session)).status).toBe(204);
    expect((await http.send('PUT sessions', session)).status).toBe(401);
    http.close();
  },
);

it("the vendor's R client is told which login modes there are when it asks for Windows authentication", async () => {
  await using platform = await startPlatform({ vendor: 'MSTR' });
  const http = new PlainHttp(platform.baseUrl);
  const body = JSON.stringify({ username: 'demo', password: 'demo', loginMode: 2, applicationType: 35 });

  const refused = await http.send('POST auth/login', { 'Content-Type': 'application/json' }, body);

  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.body)).toMatchObject({
    code: 'ERR006',
    message: expect.stringContaining('1, 8, 16 or 4096'),
  });
  http.close();
});
