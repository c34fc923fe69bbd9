import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection, requestBytes } from '../../bench/load/connection.ts';
import { Tally } from '../../bench/load/tally.ts';

let server: Server;

/** What one connection makes of each answer, in turn. */
async function outcomes(...answers: ((response: ServerResponse) => void)[]) {
  const left = [...answers];
  server = createServer((request, response) => {
    request.resume();
    left.shift()?.(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connection = new Connection((server.address() as AddressInfo).port);
  const seen: [failure: string | undefined, length: number | undefined][] = [];
  for (const _answer of answers) {
    await new Promise<void>((resolve) => {
      connection.send(requestBytes({ query: '{ a }' }, {}), (...outcome) => {
        seen.push(outcome);
        resolve();
      });
    });
  }
  connection.close();
  return seen;
}

describe('a connection that makes load', () => {
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  it('counts a complete answer as good, with its expected length if one is given', async () => {
    const body = JSON.stringify({ data: 'x'.repeat(300_000) });
    const seen = await outcomes(
      (response) => response.setHeader('content-length', body.length).end(body),
      (response) => {
        response.write(body.slice(0, 9));
        response.end(body.slice(9));
      },
    );
    expect(seen).toEqual([
      [undefined, body.length],
      [undefined, undefined],
    ]);
  });

  it('counts errors, other statuses and closed connections as failures, and continues', async () => {
    const seen = await outcomes(
      (response) => response.end('{"errors":[{"message":"no"}]}'),
      (response) => response.writeHead(503, { 'content-length': 2 }).end('{}'),
      (response) => response.destroy(),
      (response) => response.end('{"data":1}'),
    );
    expect(seen.map(([failure]) => failure)).toEqual([
      expect.stringContaining('"errors"'),
      'status 503: {}',
      expect.stringMatching(/closed|ECONNRESET/),
      undefined,
    ]);
  });
});

describe('an answer under load', () => {
  it('counts as wrong if its length is not the expected one', () => {
    const tally = new Tally(10);
    tally.add(5, undefined, 10);
    tally.add(1, undefined, 9);
    expect(tally.result(2)).toEqual({
      rate: 0.5,
      answers: 1,
      failures: 1,
      firstFailure: '9 bytes in place of 10',
      p50: 5,
      p99: 5,
    });
  });
});
