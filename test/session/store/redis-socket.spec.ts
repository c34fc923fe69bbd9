import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CountingConnector,
  CountingSocket,
  UnexpectedReplyError,
  ValueCount,
} from '../../../src/session/store/redis-socket.js';
import { makeCertificate } from '../../../packages/portico/test/support/client/certificate.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { tempFolder } from '../../support/temp-folder.js';

const COMMAND = '*1\r\n$4\r\nPING\r\n';

describe('the socket that counts replies', () => {
  let server: Server;
  let below: Socket;
  let counting: CountingSocket;
  let redis: Socket;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    below = connect((server.address() as AddressInfo).port, '127.0.0.1');
    counting = new CountingSocket(below);
    expect(counting.connecting).toBe(true);
    await once(counting, 'connect');
    [redis] = (await accepted) as [Socket];
    redis.on('error', () => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    counting.destroy();
    redis.destroy();
    server.close();
  });

  /** Sends a command, and waits until it has arrived. */
  const ask = async (): Promise<void> => {
    const arrived = once(redis, 'data');
    counting.write(COMMAND);
    await arrived;
  };

  it('is connected when that below it is', () => {
    expect(counting.connecting).toBe(false);
  });

  it('is set like that below it', () => {
    const [noDelay, keepAlive] = [vi.spyOn(below, 'setNoDelay'), vi.spyOn(below, 'setKeepAlive')];
    counting.setNoDelay(true);
    counting.setKeepAlive(true, 30);
    expect([noDelay.mock.lastCall, keepAlive.mock.lastCall]).toEqual([[true], [true, 30]]);
  });

  it('says when it has been silent for too long', async () => {
    await new Promise<void>((resolve) => {
      counting.setTimeout(10, resolve);
    });
  });

  it('ends after the last reply when Redis ends the connection, without an error', async () => {
    const errors: unknown[] = [];
    counting.on('error', (error) => errors.push(error));
    const events: string[] = [];
    for (const event of ['end', 'close']) counting.on(event, () => events.push(event));
    await ask();
    let replies = '';
    counting.on('data', (bytes) => (replies += String(bytes)));
    redis.end('+PONG\r\n');
    await once(counting, 'close');
    expect([replies, events, errors]).toEqual(['+PONG\r\n', ['end', 'close'], []]);
  });

  it('is over when that below it is closed', async () => {
    below.destroy();
    await once(counting, 'close');
  });

  it('ends the connection to Redis when it is ended', async () => {
    const ended = once(redis, 'end');
    redis.resume();
    counting.end();
    await ended;
  });

  it('closes the connection to Redis when it is destroyed', async () => {
    const closed = once(redis, 'close');
    redis.resume();
    counting.destroy();
    await closed;
  });

  it('ends with an error when a reply comes that nothing has asked for', async () => {
    await ask();
    const failed = once(counting, 'error');
    const closed = once(redis, 'close');
    let replies = '';
    counting.on('data', (bytes) => (replies += String(bytes)));
    redis.write('+PONG\r\n');
    await eventually(() => replies === '+PONG\r\n');
    redis.write('+OK\r\n');
    expect(await failed).toEqual([expect.any(UnexpectedReplyError)]);
    await closed;
    expect(replies).toBe('+PONG\r\n');
  });

  it('reads no more than is taken from it, and goes on when it is', async () => {
    await ask();
    const text = 'x'.repeat(4_000_000);
    redis.write(`$${text.length}\r\n${text}\r\n`);
    await eventually(() => counting.readableLength > 0 && below.isPaused());
    expect(counting.readableLength).toBeLessThan(1_000_000);
    let taken = 0;
    counting.on('data', (bytes: Buffer) => (taken += bytes.length));
    await eventually(() => taken === `$${text.length}\r\n${text}\r\n`.length);
  });
});

describe('the way to Redis', () => {
  it('may be encrypted', async () => {
    const { cert, key } = await makeCertificate();
    const server = createTlsServer({ cert, key }, (socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const place = { host: '127.0.0.1', port, disconnectTimeout: 100 };
    const trusting = new CountingConnector({ ...place, tls: { ca: cert } });
    await once(await trusting.connect(), 'secureConnect');
    trusting.disconnect();
    const [error] = (await once(await new CountingConnector({ ...place, tls: true }).connect(), 'error')) as [
      NodeJS.ErrnoException,
    ];
    expect(error.code).toMatch(/SELF_SIGNED/);
    server.close();
  });

  it('may be a socket in the file system', async () => {
    const folder = await tempFolder();
    const path = `${folder.path}/redis.sock`;
    const server = createServer((socket) => socket.end()).listen(path);
    await once(server, 'listening');
    const connector = new CountingConnector({ path, disconnectTimeout: 100 });
    const accepted = once(server, 'connection');
    await once(await connector.connect(), 'connect');
    await accepted;
    connector.disconnect();
    server.close();
    await folder.remove();
  });
});

describe('the count of replies', () => {
  const REPLIES = [
    '+OK\r\n',
    '$-1\r\n',
    '_\r\n',
    '*-1\r\n',
    '*0\r\n',
    '$0\r\n\r\n',
    '$5\r\n*1\r\n$\r\n',
    '$9\r\na\r\nb\r\nc\r\n\r\n',
    '*3\r\n$2\r\nab\r\n*2\r\n:1\r\n$-1\r\n#t\r\n',
    '%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*1\r\n+x\r\n',
    ',1.5\r\n',
    '-ERR no\r\n',
  ];

  it('is right wherever the packets begin and end', () => {
    const bytes = Buffer.from(REPLIES.join(''));
    for (const size of [1, 2, 3, 5, 7, bytes.length]) {
      const count = new ValueCount();
      let found = 0;
      for (let at = 0; at < bytes.length; at += size) found += count.add(bytes.subarray(at, at + size));
      expect(found).toBe(REPLIES.length);
    }
  });

  it('grows only when a reply is complete', () => {
    for (const reply of REPLIES) {
      const count = new ValueCount();
      expect(count.add(Buffer.from(reply.slice(0, -1)))).toBe(0);
      expect(count.add(Buffer.from(reply.slice(-1)))).toBe(1);
    }
  });
});
