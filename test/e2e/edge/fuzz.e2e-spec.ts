import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, createCanaries } from '../../../packages/portico/test/support/secrets/canaries.js';
import { mutationsOf } from '../../support/graphql/mutations.js';
import { rawExchange } from '../../../packages/portico/test/support/raw-exchange.js';
import { type RunningService, runService, stopServices } from '../../support/app/run-service.js';
import {
  startPlatform,
  type StartedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/start-platform.js';
import { tempFolder } from '../../support/temp-folder.js';

/** `npm run fuzz` sends more than every test run does. */
const THOROUGH = process.env.FUZZ === 'thorough';
const DOCUMENTS = THOROUGH ? 200_000 : 1_000;
const RAW_REQUESTS = THOROUGH ? 20_000 : 1_000;
const SEED = 20_260_105;
const AT_ONCE = 16;
const CHUNK = 1_000;
const PATIENCE_MS = THOROUGH ? 1_800_000 : 300_000;

describe('whatever is sent', () => {
  const canaries: Canaries = createCanaries();
  const secret = canaries.plant('PW');
  const key = canaries.plant('KEY');
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: StartedPlatform;
  let service: RunningService;
  beforeAll(async () => {
    folder = await tempFolder();
    platform = await startPlatform();
    service = await runService(folder.path, {
      PLATFORM_BASE_URL: platform.baseUrl,
      LOG_LEVEL: 'debug',
      GRAPHQL_INTROSPECTION: 'false',
      // Mutated logins fail, and must not wait for each other.
      LOGIN_FAILURES_PER_MINUTE: '1000000',
      LOGIN_WAIT_MS: '100',
      HOST: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await stopServices();
    await platform.close();
    await folder.remove();
  });

  /** Sends all, a few at once; counts the answers by status, and how many held a secret. */
  async function sendAll(
    texts: readonly string[],
    send: (text: string) => Promise<{ status: number; text: string }>,
  ): Promise<{ statuses: Map<number, number>; leaks: number }> {
    const statuses = new Map<number, number>();
    let leaks = 0;
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < texts.length) {
        const { status, text } = await send(texts[next++] ?? '');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (canaries.findIn(text).length > 0) leaks += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { statuses, leaks };
  }

  /** In chunks, so that a long run holds no more than a short one. */
  async function fuzz(
    texts: readonly string[],
    count: number,
    send: (text: string) => Promise<{ status: number; text: string }>,
  ): Promise<void> {
    const total = new Map<number, number>();
    let leaked = 0;
    for (let sent = 0; sent < count; sent += CHUNK) {
      const { statuses, leaks } = await sendAll(mutationsOf(texts, CHUNK, SEED + sent), send);
      for (const [status, number] of statuses) total.set(status, (total.get(status) ?? 0) + number);
      leaked += leaks;
    }
    if (THOROUGH) process.stdout.write(`${count} sent: ${JSON.stringify(Object.fromEntries(total))}\n`);
    expect(leaked).toBe(0);
    expect([...total.keys()].filter((status) => status >= 500)).toEqual([]);
    expect([...total.values()].reduce((sum, number) => sum + number, 0)).toBe(count);
    expect(service.process.exitCode).toBeNull();
    expect((await service.graphql('{ hasSession }')).data).toEqual({ hasSession: false });
  }

  it(
    `in ${DOCUMENTS} mutated requests, no answer is 5xx and none holds a secret`,
    async () => {
      const bodies = [
        {
          query: `mutation { login(input: {username: "demo", password: "${secret}", transport: BEARER}) { handle } }`,
        },
        {
          query:
            'mutation L($input: LoginInput!) { login(input: $input) { handle me { id } projects { id name } } }',
          variables: { input: { apiKey: key, transport: 'BEARER', applicationType: 8 } },
          operationName: 'L',
        },
        {
          query: 'query ($id: ID!) { project(id: $id) { id name owner { name } } }',
          variables: { id: secret },
        },
        {
          query:
            'query Q { ...F me { ...G } } fragment F on Query { hasSession } fragment G on User { id raw }',
        },
        { query: '{ a: projectId(name: "x") @include(if: true) b: projectId(name: "y") @skip(if: false) }' },
        { query: 'mutation { delegate(input: {identityToken: "t"}) { expiresAt } }' },
        {
          query: 'mutation { extend { expiresAt sessionStatus { id } } }',
          extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } },
        },
        { query: '{ _service { sdl } __schema { types { name } } __type(name: "Query") { name } }' },
      ];
      await fuzz(
        bodies.map((body) => JSON.stringify(body)),
        DOCUMENTS,
        async (body) => {
          const response = await fetch(`${service.url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
            body,
          });
          return { status: response.status, text: await response.text() };
        },
      );
    },
    PATIENCE_MS,
  );

  it(
    `in ${RAW_REQUESTS} mutated HTTP requests, no answer is 5xx and none holds a secret`,
    async () => {
      const body = JSON.stringify({ query: `{ projectId(name: "${secret}") }` });
      const head = 'host: localhost\r\nconnection: close\r\n';
      const requests = [
        `POST /graphql HTTP/1.1\r\n${head}content-type: application/json\r\nauthorization: Bearer ${secret}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        `POST /graphql HTTP/1.1\r\n${head}content-type: application/json; charset=utf-8\r\ncookie: __Host-portico=${secret}\r\norigin: https://x.example\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        `GET /graphql?query=%7BhasSession%7D&variables=%7B%22a%22%3A%22${key}%22%7D HTTP/1.1\r\n${head}accept: application/graphql-response+json\r\nx-request-id: abcdefgh\r\n\r\n`,
        `OPTIONS /graphql HTTP/1.1\r\n${head}origin: https://x.example\r\naccess-control-request-method: POST\r\n\r\n`,
        `GET /graphql?query=%7BhasSession%7D HTTP/1.0\r\n\r\n`,
        ...['[::1]:80', '%41', 'a b', ':', '@'].map(
          (host) =>
            `GET /graphql?query=%7BhasSession%7D HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
        ),
        `GET /livez HTTP/1.1\r\n${head}x-forwarded-for: 1.2.3.4\r\n\r\n`,
      ];
      await fuzz(requests, RAW_REQUESTS, async (bytes) => {
        const text = await rawExchange(service.url, bytes);
        return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
      });
    },
    PATIENCE_MS,
  );

  it('leaves no secret in the log, nor a line of an unforeseen fault', () => {
    expect(canaries.findIn(service.output())).toEqual([]);
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const faults = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
    expect(faults).toEqual([]);
    expect(lines.length).toBeGreaterThan(DOCUMENTS);
  });
});
