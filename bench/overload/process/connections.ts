import { connect, type Socket } from 'node:net';
import { type Pipelines, type SlowSenders } from '../attack/plan.ts';
import { type Counts } from './counts.ts';

const DRIP_MS = 1000;

export function pipelines(
  port: number,
  addresses: readonly string[],
  { connections, requests, path }: Pipelines,
  counts: Counts,
): void {
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(requests));
  for (let n = 0; n < connections; n += 1) {
    const socket = open(port, addresses[n % addresses.length], counts);
    // Before it is connected: not even the first answer is read.
    socket.pause();
    socket.write(bytes, (error) => {
      if (error === undefined || error === null) counts.add('sent to the end');
    });
  }
}

export function slowSenders(
  port: number,
  addresses: readonly string[],
  { connections }: SlowSenders,
  counts: Counts,
): void {
  const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  for (let n = 0; n < connections; n += 1) {
    const socket = open(port, addresses[n % addresses.length], counts);
    socket.write(n % 2 === 0 ? `${head}x-slow: ` : `${head}content-length: 500\r\n\r\n`);
    const drip = setInterval(() => socket.write(' '), DRIP_MS);
    socket.once('data', (chunk: Buffer) => {
      counts.add(`answered ${chunk.toString('latin1', 9, 12)}`);
    });
    socket.once('end', () => {
      counts.add('FIN ignored');
    });
    socket.once('close', () => {
      clearInterval(drip);
    });
  }
}

/** Stays open when the other side has ended it. */
function open(port: number, localAddress: string | undefined, counts: Counts): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  socket.on('error', ({ message }) => {
    counts.add(message.replace(/ .*/, ''));
  });
  return socket;
}
