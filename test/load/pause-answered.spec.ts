import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fastify, type FastifyInstance } from 'fastify';
import { pauseAnswered, PausedConnections } from '../../src/load/paused-connections.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

const BODY = '{"query":"{ me { id } }"}';
const POST = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;
const PROBE = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n';

describe('a server that pauses the callers that it has answered', () => {
  let server: FastifyInstance;
  let state: { room: number; isShedding: boolean };
  let paused: PausedConnections;
  let served: number;
  beforeEach(async () => {
    state = { room: 0, isShedding: true };
    paused = new PausedConnections({ room: () => state.room, answers: () => 0, now: () => 0 });
    served = 0;
    server = fastify();
    server.post('/graphql', () => `answer ${(served += 1)}`);
    server.get('/livez', () => 'alive');
    const answered = paused.pause.bind(paused);
    server.server.on('request', (request, response) => {
      if (state.isShedding) pauseAnswered(request, response, answered, () => '127.0.0.1');
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => server.close());

  async function caller(): Promise<{ socket: Socket; text: () => string }> {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { socket, text: () => text };
  }

  it('reads the next request when there is room, and not before', async () => {
    const { socket, text } = await caller();
    socket.write(POST);
    await eventually(() => text().includes('answer 1'));
    await eventually(() => paused.size === 1);
    socket.write(POST);
    await sleep(20);
    expect(served).toBe(1);
    state.room = 1;
    await eventually(() => text().includes('answer 2'));
    expect(served).toBe(2);
    socket.destroy();
  });

  it('reads at once after a probe, and while the process has time', async () => {
    const { socket, text } = await caller();
    socket.write(PROBE);
    await eventually(() => text().includes('alive'));
    state.isShedding = false;
    for (let n = 1; n <= 3; n += 1) {
      socket.write(POST);
      await eventually(() => text().includes(`answer ${n}`));
    }
    expect(paused.size).toBe(0);
    socket.destroy();
  });

  it('answers a caller who asks again at once no more often than there is room', async () => {
    const callers = await Promise.all(Array.from({ length: 50 }, caller));
    for (const { socket } of callers) {
      socket.on('data', () => socket.write(POST));
      socket.write(POST);
    }
    await eventually(() => paused.size === 50);
    await sleep(30);
    expect(served).toBe(50);
    for (const { socket } of callers) socket.destroy();
  });

  it('answers what was sent ahead in one piece, and forgets a caller who has hung up', async () => {
    const { socket, text } = await caller();
    socket.write(POST + POST);
    await eventually(() => text().includes('answer 2'));
    await eventually(() => paused.size === 1);
    socket.destroy();
    state.room = 1;
    await eventually(() => paused.size === 0);
  });
});
