import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { runService, type RunningService, stopServices } from '../../support/app/run-service.js';
import { type MetricsReader, metricsReader } from '../../support/metrics-reader.js';
import { tempFolder } from '../../support/temp-folder.js';

const FILES = 64;
const WARNING = 'At most 16 connections are taken: this process may open only 64 files.';
const EXHAUSTED = 'New connections are reset: this process can open no more files.';

describe('a service that may open only 64 files', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: RunningService;
  let metrics: MetricsReader;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    folder = await tempFolder();
    service = await runService(folder.path, { METRICS_PORT: '0' }, [], FILES);
    metrics = metricsReader(/Metrics are at (http:[^\s"]+)/.exec(service.output())?.[1] ?? '');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await stopServices();
    await folder.remove();
  });

  /** Opens connections and says how many were answered and how many were ended. */
  function call(url: string, connections: number): { answered: number; ended: number } {
    const { port, hostname, pathname } = new URL(url);
    const count = { answered: 0, ended: 0 };
    for (let i = 0; i < connections; i += 1) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
      const end = (): unknown => (count.ended += 1);
      socket.once('close', end).on('error', () => undefined);
      socket.once('data', () => {
        socket.off('close', end);
        count.answered += 1;
      });
    }
    return count;
  }

  it('says so at its start, and cuts off who is too many, with a line in the log', async () => {
    await eventually(() => service.output().includes(WARNING));
    const count = call(`${service.url}/livez`, 200);
    await eventually(() => {
      expect(count.answered + count.ended).toBe(200);
    });
    // One network has two thirds of the connections.
    expect(count.answered).toBe(11);
    expect(await metrics.value('portico_connections_cut_total{reason="network"}')).toBe(189);
    await eventually(() => {
      expect(service.output()).toContain('Connections were cut off');
    });
    expect(service.output()).not.toContain(EXHAUSTED);
  });

  it('says that none is left, in the log and by a metric, and goes on when there are some', async () => {
    // The metrics port is not bounded.
    const count = call(metrics.url, 200);
    await eventually(() => {
      expect(service.output()).toContain(EXHAUSTED);
    });
    expect(count.ended).toBeGreaterThan(100);
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => {
      expect(await metrics.value('portico_descriptors_exhausted_total')).toBeGreaterThan(0);
    });
    expect((await service.graphql('{ hasSession }')).data).toEqual({ hasSession: false });
  });
});
