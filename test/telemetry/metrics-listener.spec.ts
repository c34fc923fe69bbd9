import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Gauge, Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { listenForMetrics, type MetricsListener } from '../../src/telemetry/metrics-listener.js';

const BUILD = { name: 'portico', version: '1.2.3', node: '24.0.0' };
let listener: MetricsListener;
let collected: number;
let release: () => void;
let released: Promise<void>;
const sockets: Socket[] = [];
beforeEach(async () => {
  collected = 0;
  released = Promise.resolve();
  const registry = new Registry();
  new Gauge({
    name: 'asked',
    help: 'How often it was asked.',
    registers: [registry],
    async collect() {
      this.set((collected += 1));
      await released;
    },
  });
  listener = await listenForMetrics(registry, BUILD, '127.0.0.1', 0);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.close();
});

function hold(): void {
  released = new Promise((resolve) => (release = resolve));
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('the port of the metrics', () => {
  it('answers one request after the other on a kept connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let scrape = 1; scrape <= 3; scrape += 1) {
      const [response] = (await once(get(listener.url, { agent }), 'response')) as [IncomingMessage];
      expect(await text(response)).toContain(`asked ${scrape}`);
    }
    expect(Object.keys(agent.sockets).length + Object.keys(agent.freeSockets).length).toBe(1);
    agent.destroy();
  });

  it.each(['/metrics', '/version', '/nothing'])(
    'ends a connection that asks for %s again before it has its answer',
    async (path) => {
      const socket = await open();
      socket.write(request(path).repeat(5000));
      await new Promise((closed) => socket.once('close', closed).resume());
      expect(collected).toBeLessThanOrEqual(1);
    },
  );

  it('measures once for all who ask at the same time', async () => {
    hold();
    const answers = Array.from({ length: 20 }, async () => {
      const response = await fetch(listener.url);
      return response.text();
    });
    await eventually(() => {
      expect(collected).toBe(1);
    });
    const idle = await open();
    idle.write(request('/version'));
    await once(idle, 'data');
    release();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/asked \d/);
    expect(collected).toBeLessThan(20);
  });

  it('takes no more connections than scrapers need', async () => {
    const opened = await Promise.all(Array.from({ length: 80 }, open));
    await eventually(() => {
      expect(opened.filter((socket) => socket.readableEnded || socket.destroyed)).toHaveLength(16);
    });
  });
});
