import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMegabytes } from '../../support/app/resident-memory.js';
import { type RunningService, runService, stopServices } from '../../support/app/run-service.js';
import { startLargePlatform } from '../../support/embedded-platform/large-platform.js';
import { type ScriptedPlatform } from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { tempFolder } from '../../support/temp-folder.js';

const HEAVY = `{ ${Array.from({ length: 9 }, (_, number) => `a${number}: projects { raw }`).join(' ')} }`;

let platform: ScriptedPlatform;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: RunningService;
let handle: string;

beforeAll(async () => {
  platform = await startLargePlatform(5000);
  folder = await tempFolder();
  const environment = { PLATFORM_BASE_URL: platform.baseUrl, LOG_LEVEL: 'silent' };
  service = await runService(folder.path, environment, ['--max-old-space-size=384']);
  handle = await bearerHandle(service.graphql, { username: 'large', password: 'x' });
});
afterAll(async () => {
  await stopServices();
  await folder.remove();
});

/** Asks for the heavy answer and takes none of it. */
function neverReads(): Socket {
  const { hostname, port } = new URL(service.url);
  const body = JSON.stringify({ query: HEAVY });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${handle}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

describe('the service on a heap of 384 MB', () => {
  it('buffers little for callers that never read, and serves others meanwhile', async () => {
    const before = await residentMegabytes(service.process.pid);
    const silent = Array.from({ length: 15 }, neverReads);
    const other = await bearerHandle(service.graphql, { username: 'other', password: 'x' });
    const { data } = await service.graphql('{ projects { id } }', { handle: other });
    expect(data.projects).toHaveLength(5000);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    // Measured on what had no limits: 1,400 MB.
    expect((await residentMegabytes(service.process.pid)) - before).toBeLessThan(450);
    for (const socket of silent) socket.destroy();
    await eventually(async () => {
      expect((await service.graphql('{ projects { name } }', { handle })).status).toBe(200);
    });
  });

  it('answers 60 heavy queries at once, and probes in between', async () => {
    let isDone = false;
    const heavy = Promise.all(
      Array.from({ length: 60 }, async () => {
        const response = await fetch(`${service.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
          body: JSON.stringify({ query: HEAVY }),
        });
        let bytes = 0;
        const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
        for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
          bytes += chunk.value.byteLength;
        }
        return { status: response.status, bytes };
      }),
    ).finally(() => (isDone = true));
    const probesBetween: boolean[] = [];
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changed meanwhile
    while (!isDone) {
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
      probesBetween.push(!isDone);
      await pause(5);
    }
    const answers = await heavy;
    // A machine that is busy with other work as well lets fewer in: the rest are told so at once.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    for (const { bytes } of answers) expect(bytes).toBeLessThan(8.1 * 1024 * 1024);
    // Were they made without a break, no probe but the first would be answered before the last of them.
    expect(probesBetween.filter(Boolean).length).toBeGreaterThan(2);
    expect(service.process.exitCode).toBeNull();
  });
});
