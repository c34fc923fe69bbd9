import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';

import { createPlatformServer, type ServerLimits } from '../../src/embedded-platform/server.js';
import { createPlatform } from '../../src/embedded-platform/platform.js';
import { completeOptions } from '../../src/embedded-platform/settings.js';
import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { eventually } from '../support/eventually.js';
import { statusOf, Wire } from './wire.js';

const LONG = 60_000;
const NO_LIMITS: ServerLimits = {
  headersTimeout: LONG,
  requestTimeout: LONG,
  connectionsCheckingInterval: 10,
  keepAliveTimeout: LONG,
  inactivityTimeout: LONG,
};
const LOGIN_HEAD = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n';
const SLOW_HEADERS = 'GET /api/status HTTP/1.1\r\nHost: x\r\n';

describe('a caller that is slow', () => {
  const sockets: Socket[] = [];
  const servers: Server[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const listen = async (
    limits: Partial<ServerLimits>,
    platform = createPlatform(completeOptions({})),
  ): Promise<{ server: Server; port: number }> => {
    const server = createPlatformServer(platform, { ...NO_LIMITS, ...limits });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
  const open = (port: number, bytes: string): Socket => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes)).setEncoding('utf8');
    sockets.push(socket.on('error', () => undefined));
    return socket;
  };
  const answerTo = async (port: number, bytes: string): Promise<string> => {
    const socket = open(port, bytes);
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    await once(socket, 'close');
    return answer;
  };

  it.each([
    ['its headers', SLOW_HEADERS, { headersTimeout: 20 }],
    ['its body', `${LOGIN_HEAD}{`, { headersTimeout: 20, requestTimeout: 20 }],
  ])('with %s gets a 408 in JSON, and its connection is closed', async (_what, bytes, limits) => {
    const { port } = await listen(limits);

    const answer = await answerTo(port, bytes);

    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'ERR006' });
  });

  it('to send its next request finds its connection closed', async () => {
    const { port } = await listen({ keepAliveTimeout: 20 });

    expect(await answerTo(port, `${SLOW_HEADERS}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('to read its answers is cut off', async () => {
    const platform = createPlatform(completeOptions({}));
    const patient = await listen({}, platform);
    const impatient = await listen({ inactivityTimeout: 50 }, platform);
    const { headers } = await new Wire(`http://127.0.0.1:${patient.port}/api`).loginAs('many-projects');
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const call = `GET /api/projects HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n`;

    open(impatient.port, call.repeat(20)).pause();
    await once(impatient.server, 'connection');

    await eventually(async () => (await openConnections(impatient.server)) === 0);
  });

  it('delays no other caller, however many of its kind there are', async () => {
    await using platform = await startPlatform();
    const wire = new Wire(platform.baseUrl);
    const port = Number(new URL(platform.baseUrl).port);
    const connected = Array.from({ length: 200 }, (_, nth) =>
      once(open(port, nth % 2 === 0 ? SLOW_HEADERS : LOGIN_HEAD), 'connect'),
    );
    await Promise.all(connected);

    const session = await wire.loginAs('demo');

    expect(await statusOf(wire.call('GET projects', { session }))).toBe(200);
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  });
});

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
}
