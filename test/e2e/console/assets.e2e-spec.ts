import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSchema } from 'graphql';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

describe('the files of the console', () => {
  let service: TestApp;
  let assets: string[];
  beforeAll(async () => {
    service = await startApp({ FIELD_PREFIX: 'analytics' });
    const page = (await ask('/')).body.toString();
    assets = [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
    assets = assets.filter((path) => !path.endsWith('.graphql'));
  });
  afterAll(async () => {
    await service.close();
  });

  /** As a browser asks: `fetch` would decompress. */
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      get(`${service.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
        });
      }).on('error', reject);
    });

  it('are named by their content, compressed as asked, and the same however they are sent', async () => {
    expect(assets.length).toBeGreaterThan(12);
    expect(assets).toContainEqual(expect.stringMatching(/favicon\.\w+\.svg$/));
    for (const path of new Set(assets)) {
      expect(path).toMatch(/\.[0-9a-f]{10}\.(js|css|svg)$/);
      const [plain, gzip, brotli] = await Promise.all([
        ask(path),
        ask(path, { 'accept-encoding': 'gzip, br;q=0' }),
        ask(path, { 'accept-encoding': 'gzip, deflate, br' }),
      ]);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
      expect(brotli.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        vary: expect.stringMatching(/accept-encoding/i),
        'x-content-type-options': 'nosniff',
      });
      expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    }
  });

  it('are not sent again to who has them, nor is the page', async () => {
    for (const path of ['/', assets[0] ?? '']) {
      const first = await ask(path);
      const again = await ask(path, { 'if-none-match': String(first.headers.etag) });
      expect({ path, status: again.status, bytes: again.body.length }).toEqual({
        path,
        status: 304,
        bytes: 0,
      });
    }
    expect((await ask('/')).headers['cache-control']).toBe('private, no-cache');
  });

  it('allow no script but their own, no other host and no frame', async () => {
    const { headers, body } = await ask('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    expect(body.toString()).not.toMatch(/<script(?![^>]* src=)|<style|javascript:|\son\w+=/);
  });

  it.each([
    '/console/nothing.js',
    '/console/index.html',
    '/console/assets.json',
    '/console/',
    '/console/console.js',
  ])('do not include %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it.each(['/console/..%2Fassets.js', '/console/%2e%2e%2f%2e%2e%2fmain.js'])(
    'do not lead out of their folder by %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  it('include the schema to download, as clients need it', async () => {
    const { status, headers, body } = await ask('/console/schema.graphql');
    expect(status).toBe(200);
    expect(headers['content-disposition']).toContain('portico.graphql');
    const schema = buildSchema(body.toString());
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain('analyticsProjects');
    expect(body.toString()).not.toMatch(/_Any|_Entity|_service|link__|federation__|@key|directive/);
  });
});

describe('a browser that opens the endpoint', () => {
  const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it('is led to the console with its query; a program is not', async () => {
    const app = await startApp();
    const query = `?query=${encodeURIComponent('{ hasSession }')}&variables=%7B%7D`;
    const led = await fetch(`${app.url}/graphql${query}`, { headers: AS_BROWSER, redirect: 'manual' });
    expect(led.status).toBe(302);
    expect(led.headers.get('location')).toBe(`/${query}`);
    const bare = await fetch(`${app.url}/graphql`, { headers: AS_BROWSER, redirect: 'manual' });
    expect(bare.headers.get('location')).toBe('/');
    for (const accept of ['*/*', 'application/json', 'text/html, application/json']) {
      const answered = await fetch(`${app.url}/graphql${query}`, { headers: { accept }, redirect: 'manual' });
      expect(await answered.json()).toEqual({ data: { hasSession: false } });
    }
    await app.close();
  });

  it.each([
    ['where introspection is off', (): Record<string, string> => ({ GRAPHQL_INTROSPECTION: 'false' })],
    [
      'where only allowed documents run',
      (folder: string): Record<string, string> => ({ PERSISTED_DOCUMENTS: folder }),
    ],
  ])('finds no console %s', async (_title, settings) => {
    const folder = await tempFolder();
    await writeFile(`${folder.path}/one.graphql`, '{ hasSession }');
    const app = await startApp(settings(folder.path));
    for (const path of ['/', '/console/console.js', '/console/schema.graphql']) {
      const response = await fetch(`${app.url}${path}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        errors: [{ message: 'No such path', extensions: { code: 'BAD_REQUEST' } }],
      });
    }
    const led = await fetch(`${app.url}/graphql`, { headers: AS_BROWSER, redirect: 'manual' });
    expect(led.status).toBeGreaterThanOrEqual(400);
    await app.close();
    await folder.remove();
  });
});

describe('a console over a real platform', () => {
  it('tells no demo login, and whether guests are admitted', async () => {
    const service = await startApp({
      PLATFORM_BASE_URL: 'http://127.0.0.1:9/api',
      ANONYMOUS_LOGIN: 'false',
    });
    const page = await (await fetch(service.url)).text();
    expect(page).toContain('data-settings="{');
    expect(page).not.toContain('demo-api-key');
    expect(page).toContain('&quot;guests&quot;:false');
    await service.close();
  });
});
