import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { AuthenticatedPlatformSession, type SessionFetch } from '../../src/client/index.js';
import { installFolder } from '../../../../test/support/install-folder.js';
import { eventually } from '../support/eventually.js';
import { runNode } from '../support/app/run-node.js';

const FOLDER = 'examples/libraries';
await installFolder(FOLDER);
const load = async (path: string): Promise<Record<string, unknown>> =>
  (await import(pathToFileURL(join(process.cwd(), FOLDER, 'node_modules', path)).href)) as Record<
    string,
    unknown
  >;

/** What a test needs of them; they are installed apart, so their own types are not at hand. */
interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}
type Call = (path: string, options?: object) => Promise<Answer<Record<string, unknown>>>;
type OpenApiClient = (options: { baseUrl: string; fetch: SessionFetch; headers?: object }) => {
  GET: Call;
  POST: Call;
};
interface Ky {
  create(options: object): (path: string, options?: object) => Promise<Response>;
}

const openapi = (await load('openapi-fetch/dist/index.mjs')).default as OpenApiClient;
const ky = (await load('ky/distribution/index.js')).default as Ky;

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 0xff)]);

/** A platform with operations that the client does not model. */
class ReportPlatform {
  logins = 0;
  readonly seen: string[] = [];
  readonly uploads: { type: string | undefined; bytes: number }[] = [];
  #token = '';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<ReportPlatform> {
    const platform = new ReportPlatform();
    await new Promise<void>((resolve) => platform.#server.listen(0, '127.0.0.1', resolve));
    return platform;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/`;
  }

  expire(): void {
    this.#token = 'none';
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const [path = '', query = ''] = (request.url ?? '').replace('/api/', '').split('?');
    const json = (status: number, body: unknown, more: object = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    };
    if (path === 'auth/login') {
      this.logins += 1;
      this.#token = `token-${this.logins}`;
      response.writeHead(204, { 'x-svc-authtoken': this.#token, 'set-cookie': 'JSESSIONID=a; Path=/' }).end();
      return;
    }
    if (path === 'auth/logout') {
      response.writeHead(204).end();
      return;
    }
    this.seen.push(`${method} ${path}`);
    if (headers['x-svc-authtoken'] !== this.#token || headers.cookie !== 'JSESSIONID=a') {
      request.resume();
      json(401, { code: 'ERR009', message: 'The session has timed out' });
      return;
    }
    if (path === 'upload' || path === 'upload/stream') {
      let bytes = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.byteLength;
      this.uploads.push({ type: headers['content-type'], bytes });
      json(201, { id: 'U1', bytes });
    } else if (path === 'reports/R1') {
      if (headers['if-none-match'] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
      else json(200, { id: 'R1', query, project: headers['x-svc-projectid'] }, { etag: '"1"' });
    } else if (path === 'reports/R1/pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': PDF.length }).end(PDF);
    } else if (path === 'slow') {
      // No answer.
    } else if (path === 'big') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const chunk = Buffer.alloc(1024 * 1024);
      for (let sent = 0; sent < 100; sent += 1) {
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    } else json(404, { code: 'ERR004', message: 'No such report' });
  }
}

const platforms = new Set<ReportPlatform>();
afterAll(() => {
  for (const platform of platforms) platform.close();
});

describe.each(['got', 'undici'] as const)('one session, by %s,', (transport) => {
  async function open() {
    const platform = await ReportPlatform.start();
    platforms.add(platform);
    const { baseUrl } = platform;
    const session = await AuthenticatedPlatformSession.open({ baseUrl, transport, relogin: true });
    return { platform, session };
  }

  it('serves openapi-fetch: JSON, query, project, PDF, multipart, 304, an error and abort', async () => {
    const { platform, session } = await open();
    const { baseUrl, fetch } = session;
    const { GET, POST } = openapi({ baseUrl, fetch, headers: { 'X-SVC-ProjectID': 'P1' } });
    const form = new FormData();
    form.append('file', new File(['a,b'], 'a.csv', { type: 'text/csv' }));
    const abort = new AbortController();

    const report = await GET('/reports/{id}', { params: { path: { id: 'R1' }, query: { limit: 2 } } });
    const pdf = await GET('/reports/R1/pdf', { parseAs: 'arrayBuffer' });
    const upload = await POST('/upload', { body: form, bodySerializer: (body: FormData) => body });
    const json = await POST('/upload', { body: { name: 'Sales' } });
    const unchanged = await GET('/reports/R1', { headers: { 'if-none-match': '"1"' } });
    const missing = await GET('/reports/R2');
    const slow = GET('/slow', { signal: abort.signal });
    await eventually(() => platform.seen.includes('GET slow'));
    abort.abort();

    expect(report.data).toEqual({ id: 'R1', query: 'limit=2', project: 'P1' });
    expect(Buffer.from(pdf.data as unknown as ArrayBuffer).equals(PDF)).toBe(true);
    expect([upload.response.status, json.response.status]).toEqual([201, 201]);
    expect(platform.uploads.map(({ type }) => type?.split(';')[0])).toEqual([
      'multipart/form-data',
      'application/json',
    ]);
    expect([unchanged.response.status, missing.error]).toEqual([
      304,
      { code: 'ERR004', message: 'No such report' },
    ]);
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    await session.close();
  });

  it('serves ky: JSON, query, PDF, multipart, an error, abort, and its own retry', async () => {
    const { platform, session } = await open();
    const api = ky.create({
      baseUrl: session.baseUrl,
      prefix: session.baseUrl,
      fetch: session.fetch,
      retry: 0,
    });
    const form = new FormData();
    form.append('file', new File(['a,b'], 'a.csv', { type: 'text/csv' }));

    const report = await api('reports/R1', {
      searchParams: { limit: 2 },
      headers: { 'x-svc-projectid': 'P1' },
    });
    const pdf = await (await api('reports/R1/pdf')).arrayBuffer();
    await api('upload', { method: 'post', body: form });
    await api('upload', { method: 'post', json: { name: 'Sales' } });

    expect(await report.json()).toEqual({ id: 'R1', query: 'limit=2', project: 'P1' });
    expect(Buffer.from(pdf).equals(PDF)).toBe(true);
    expect(platform.uploads.map(({ type }) => type?.split(';')[0])).toEqual([
      'multipart/form-data',
      'application/json',
    ]);
    await expect(api('reports/R2')).rejects.toMatchObject({ name: 'HTTPError', response: { status: 404 } });
    await expect(api('slow', { timeout: 40 })).rejects.toMatchObject({ name: 'TimeoutError' });
    await session.close();
  });

  it('serves both and plain fetch when it expires in the middle, with one new login', async () => {
    const { platform, session } = await open();
    const { baseUrl, fetch } = session;
    const { GET } = openapi({ baseUrl, fetch });
    const api = ky.create({ baseUrl, prefix: baseUrl, fetch, retry: 0 });
    await fetch('reports/R1');
    platform.expire();

    const [plain, viaOpenapi, viaKy] = await Promise.all([
      fetch('reports/R1').then((response) => response.json()),
      GET('/reports/R1'),
      api('reports/R1').then((response) => response.json()),
    ]);

    expect([plain, viaOpenapi.data, viaKy]).toEqual(
      Array.from({ length: 3 }, () => ({ id: 'R1', query: '' })),
    );
    expect(platform.logins).toBe(2);
    await session.close();
  });

  it('streams 100 MB down and up in constant memory', async () => {
    const { platform, session } = await open();
    await session.close();

    const { stdout, stderr } = await runNode(['--expose-gc', '--input-type=module', '--eval', MEMORY], {
      env: { BASE_URL: platform.baseUrl, TRANSPORT: transport },
    });

    expect(stderr).toBe('');
    const { down, up, form, moreMb } = JSON.parse(stdout) as Record<string, number>;
    expect({ down, up, form: (form ?? 0) > 100 * 2 ** 20 }).toEqual({
      down: 100 * 2 ** 20,
      up: 100 * 2 ** 20,
      form: true,
    });
    expect(moreMb).toBeLessThan(20);
  });
});

/** The program of a user: what it holds at most while it streams, in excess of what it held before. */
const MEMORY = `
  import { openAsBlob, rmSync, writeFileSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { AuthenticatedPlatformSession } from 'portico/client';
  const { BASE_URL: baseUrl, TRANSPORT: transport } = process.env;
  const session = await AuthenticatedPlatformSession.open({ baseUrl, transport, timeoutMs: 60000 });
  const file = join(tmpdir(), 'portico-upload-' + process.pid);
  writeFileSync(file, Buffer.alloc(100 * 2 ** 20));
  const read = async (bytes = 0) => {
    for await (const chunk of (await session.fetch('big')).body) {
      bytes += chunk.byteLength;
      look();
    }
    return bytes;
  };
  async function* chunks(count) {
    for (let nth = 0; nth < count; nth += 1) {
      yield new Uint8Array(2 ** 20);
      look();
    }
  }
  const send = (body, path = 'upload') =>
    session.fetch(path, { method: 'POST', body, duplex: 'half' }).then((response) => response.json());
  let most = 0;
  const held = () => { const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks % 16 !== 0) return;
    // The first frees bytes, the second counts them as free.
    gc();
    gc();
    most = Math.max(most, held());
  };
  await send(ReadableStream.from(chunks(5)), 'upload/stream');
  gc();
  gc();
  const before = held();
  most = before;
  const down = await read();
  const { bytes: up } = await send(ReadableStream.from(chunks(100)), 'upload/stream');
  const form = new FormData();
  form.append('file', new File([await openAsBlob(file)], 'big.bin'));
  const timer = setInterval(look, 5);
  const { bytes } = await send(form);
  clearInterval(timer);
  rmSync(file);
  console.log(JSON.stringify({ down, up, form: bytes, moreMb: (most - before) / 2 ** 20 }));
  await session.close();
`;
