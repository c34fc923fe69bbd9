import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformClient, PlatformError, type PlatformSession } from '../../../../src/client/index.js';
import { seededRandom } from '../../../support/client/seeded-random.js';
import { mutatedAnswer } from '../../../support/embedded-platform/mutated-answer.js';
import { takeRequest } from '../../../support/embedded-platform/raw-request.js';
import { FRAMING } from './framing.rows.js';
import { HEADS } from './head.rows.js';
import { CODINGS, TEXTS } from './label.rows.js';
import { bytesOf, withBody } from './row.js';

/** `npm run fuzz` asks for more than every test run does. */
const THOROUGH = process.env.FUZZ === 'thorough';
const ANSWERS = THOROUGH ? 100_000 : 1_000;
const SEED = 20_261_128;
const LANES = 16;
const TIMEOUT_MS = 8_000;
const PATIENCE_MS = THOROUGH ? 7_200_000 : 300_000;
const LARGEST = 4_000;

const LOGIN = [
  'X-SVC-AuthToken: abc',
  'Set-Cookie: JSESSIONID=1; Path=/; HttpOnly',
  'Set-Cookie: lb=2; Path=/api',
];
const TYPE = 'Content-Type: application/json;charset=UTF-8';
const CORPUS: readonly Buffer[] = [
  ...[...FRAMING, ...HEADS, ...CODINGS, ...TEXTS].flatMap((row) => bytesOf(row) ?? []),
  Buffer.from(`HTTP/1.1 204 No Content\r\n${LOGIN.join('\r\n')}\r\n\r\n`),
  withBody(
    '200 OK',
    [TYPE, ...LOGIN],
    '[{"id":"P","name":"N","status":0,"owner":{"id":"O"}},{"id":7,"name":"M"}]',
  ),
  withBody('200 OK', [TYPE], '{"id":"U","fullName":"A User","timeout":"1800","locale":1033}'),
  withBody('401 No', [TYPE], '{"code":"ERR003","message":"Login failed","iServerCode":-2147216959}'),
  withBody('503 Busy', [TYPE, 'Retry-After: 0'], '<html>'),
]
  .map((answer) => Buffer.from(answer))
  .filter((answer) => answer.byteLength > 0 && answer.byteLength <= LARGEST);

const login = (session: PlatformSession): Promise<void> =>
  session.login({ username: 'user', password: 'password' });

/** Whether a transport did not accept the answer. They need to agree on legal answers only, and these are mostly not. */
function isRefusal(kind: string): boolean {
  return kind === 'protocol' || kind === 'unreachable';
}

/** The operations that answers are given to; the last reads, which may be repeated, are rarer because they wait. */
const OPERATIONS: readonly ((session: PlatformSession) => Promise<unknown>)[] = [
  ...Array<(session: PlatformSession) => Promise<unknown>>(20).fill(async (session) => {
    const response = await session.request('POST', 'things');
    return [response.status, response.text()];
  }),
  async (session) => (await session.request('DELETE', 'things')).json(),
  login,
  (session) => session.logout(),
  (session) => session.getProjects(),
  (session) => session.getSessionInfo(),
];

/** What a caller can see of the end of a call and of the session after it. */
async function outcome(client: PlatformClient, operation: (typeof OPERATIONS)[number]): Promise<string> {
  const session = client.restoreSession({
    base_url: client.baseUrl,
    cookies: {},
    headers: { 'X-SVC-AuthToken': 'held' },
  });
  const result = await operation(session).catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    const { message, ...facts } = error.toJSON();
    // A library's own name of the fault is in brackets.
    return { ...facts, message: String(message).replace(/\([A-Z][A-Z0-9_]+\)/, '') };
  });
  const { headers, cookies } = session.toDict();
  return JSON.stringify([result, headers, cookies]);
}

describe('whatever a platform answers', () => {
  const lanes: { server: Server; answer: Buffer; requests: number; clients: PlatformClient[] }[] = [];
  beforeAll(async () => {
    for (let lane = 0; lane < LANES; lane += 1) {
      const server = createServer((socket) => {
        let received = Buffer.alloc(0);
        socket.on('error', () => socket.destroy());
        socket.on('data', (chunk) => {
          received = Buffer.concat([received, chunk]);
          const now = lanes[lane];
          if (now === undefined || takeRequest(received) === undefined) return;
          now.requests += 1;
          socket.end(now.answer);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
      const clients = (['got', 'undici'] as const).map(
        (transport) =>
          new PlatformClient({ baseUrl, transport, timeoutMs: TIMEOUT_MS, maxRedirects: 2, now: () => 0 }),
      );
      lanes.push({ server, answer: Buffer.alloc(0), requests: 0, clients });
    }
  });
  afterAll(async () => {
    await Promise.all(lanes.flatMap(({ clients }) => clients.map((client) => client.close())));
    for (const { server } of lanes) server.close();
  });

  it(
    `${ANSWERS} mutated answers each end a call in time, with a typed error or a value; both transports read the same values`,
    async () => {
      const random = seededRandom(SEED);
      const differences: object[] = [];
      const repeated: string[] = [];
      const timeouts: string[] = [];
      const ends = new Map<string, number>();
      let left = ANSWERS;
      await Promise.all(
        lanes.map(async (lane) => {
          while (left > 0 && differences.length < 10) {
            left -= 1;
            lane.answer = mutatedAnswer(CORPUS, random);
            const operation = OPERATIONS[Math.floor(random() * OPERATIONS.length)];
            if (operation === undefined) throw new Error('no operation');
            const text = lane.answer.toString('latin1');
            const results: string[] = [];
            for (const client of lane.clients) {
              lane.requests = 0;
              results.push(await outcome(client, operation));
              if (operation === login && lane.requests !== 1) repeated.push(text);
            }
            const kinds = results.map((result) => /"kind":"([\w-]+)"/.exec(result)?.[1] ?? 'value');
            for (const kind of kinds) ends.set(kind, (ends.get(kind) ?? 0) + 1);
            if (kinds.includes('timeout')) timeouts.push(text);
            if (!kinds.some(isRefusal) && results[0] !== results[1]) differences.push({ text, results });
          }
        }),
      );

      if (THOROUGH) process.stdout.write(`${ANSWERS} answers: ${JSON.stringify(Object.fromEntries(ends))}\n`);
      expect(differences).toEqual([]);
      expect(timeouts).toEqual([]);
      expect(repeated).toEqual([]);
      expect(ends.size).toBeGreaterThan(4);
    },
    PATIENCE_MS,
  );
});
