import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ExecutionCancelledError, PlatformTimeoutError } from '../../../src/client/index.js';
import { type CallInFlight } from '../../../src/client/connection/calls-in-flight.js';
import { type OpenResponse, receiveOpen } from '../../../src/client/connection/open-response.js';
import { type PlatformError } from '../../../src/errors/platform-error.js';

/** How much of a response that may be an error is read before it is passed on, and how much of its body ahead. */
const LIMIT = 64 * 1024;

/** A call, and what became of it and of its connection. */
function someCall() {
  const ended = new AbortController();
  const seen = { renewals: 0, kept: 0, released: 0 };
  const call = {
    signal: ended.signal,
    endedBy: undefined as PlatformError | undefined,
    renew: () => (seen.renewals += 1),
  };
  const keep = () => {
    seen.kept += 1;
    return () => void (seen.released += 1);
  };
  const end = (error?: PlatformError): void => {
    call.endedBy = error;
    ended.abort(error);
  };
  return { call: call as unknown as CallInFlight, keep, end, seen };
}

/** A body of these chunks, which then goes on without an end unless that is said. */
function bodyOf(chunks: readonly (string | Buffer)[], { ends = false } = {}): Readable {
  // In this mode, what has arrived together is still read in parts.
  const body = new Readable({ read: () => undefined, objectMode: true });
  for (const chunk of chunks) body.push(Buffer.from(chunk));
  if (ends) body.push(null);
  return body;
}

interface Answer {
  status?: number;
  type?: string;
  more?: string[];
  method?: string;
  maxBytes?: number;
}

async function received(
  body: Readable,
  { status = 200, type, more = [], method = 'GET', maxBytes }: Answer = {},
) {
  const { call, keep, end, seen } = someCall();
  const rawHeaders = [...(type === undefined ? [] : ['Content-Type', type]), ...more];
  const url = new URL('http://h/');
  const open = await receiveOpen({ status, rawHeaders, body }, { method, url, call, maxBytes, keep });
  return { open, end, seen, call };
}

const PDF = { type: 'application/pdf' };

const streamOf = (open: OpenResponse): ReadableStream<Uint8Array> => {
  const body = open.body();
  if (!(body instanceof ReadableStream)) throw new Error('The response is complete.');
  return body;
};

async function chunksOf(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk).toString());
  return chunks;
}

describe('a response is passed on', () => {
  it.each<[string, Answer, string[], number]>([
    ['before its body where that is a file', PDF, ['%PDF', '...'], 0],
    ['before its body with the last status of a success', { status: 299, ...PDF }, ['%PDF', '...'], 0],
    ['before its body where that is a stream of events', { type: 'text/event-stream' }, ['data: {}'], 0],
    ['with the first part of a page', { type: 'text/html' }, ['<html>', '...'], 6],
    ['with the first part of a text, whatever that begins with', { type: 'text/plain' }, ['{', '}'], 1],
    ['with the first part of JSON that is no object or list', { type: 'application/json' }, ['"a', 'b"'], 2],
    ['with the first part of JSON that begins with a text', { type: 'application/json' }, ['x{', '}'], 2],
  ])('%s', async (_when, answer, chunks, bytes) => {
    const { open, seen } = await received(bodyOf(chunks), answer);

    expect(open.byteLength).toBe(bytes);
    expect(seen).toEqual({ renewals: 1, kept: 1, released: 0 });
  });

  it.each<[string, Answer, string]>([
    ['its type is JSON', { type: 'application/json' }, '{'],
    ['its type is a kind of JSON', { type: 'application/problem+json; charset=utf-8' }, '['],
    ['it has no type', {}, '{'],
    ['it begins with white space', { type: 'application/json' }, ' \r\n\t{'],
  ])(
    'as a whole, up to 64 KiB, where it looks like an error payload because %s',
    async (_why, answer, start) => {
      const small = await received(bodyOf([start, 'x'.repeat(100)], { ends: true }), answer);
      const part = 'x'.repeat(LIMIT / 2);
      const large = await received(bodyOf([start + part.slice(start.length), part, part]), answer);

      expect([small.open.byteLength, small.seen.kept]).toEqual([start.length + 100, 0]);
      expect([large.open.byteLength, large.seen.kept]).toEqual([LIMIT, 1]);
    },
  );

  it.each([300, 404, 503])('as a whole, up to 64 KiB, where its status is %d', async (status) => {
    const { open, seen } = await received(bodyOf(['%PDF', '...'], { ends: true }), { status, ...PDF });

    expect([open.byteLength, seen.kept]).toEqual([7, 0]);
    expect(open.body()).toEqual(Buffer.from('%PDF...'));
  });

  it.each<[string, Answer]>([
    ['a HEAD', { method: 'HEAD' }],
    ['a response whose length is 0', { more: ['Content-Length', '0'] }],
  ])('at its end, where there is no body: %s', async (_what, answer) => {
    const more = [...(answer.more ?? []), 'Content-Encoding', 'gzip'];
    const { open, seen } = await received(bodyOf([], { ends: true }), { ...PDF, ...answer, more });

    open.abandon();

    expect([open.byteLength, seen.kept]).toEqual([0, 0]);
  });

  it('with its body decoded', async () => {
    const body = bodyOf([gzipSync('content')], { ends: true });
    const { open } = await received(body, { ...PDF, more: ['Content-Encoding', 'gzip'] });

    expect(await chunksOf(streamOf(open))).toEqual(['content']);
  });
});

describe('a body that is still arriving', () => {
  it('is the part that was examined and the rest, and gives the connection back at its end', async () => {
    const { open, seen, call } = await received(bodyOf(['one', 'two', 'three'], { ends: true }), {
      type: 'text/plain',
    });

    expect(await chunksOf(streamOf(open))).toEqual(['one', 'two', 'three']);
    expect(seen).toEqual({ renewals: 4, kept: 1, released: 1 });
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
  });

  it('begins with its first bytes where none were examined', async () => {
    const { open } = await received(bodyOf(['one'], { ends: true }), PDF);

    expect(await chunksOf(streamOf(open))).toEqual(['one']);
  });

  it('may be as long as the limit', async () => {
    const five = await received(bodyOf(['12345'], { ends: true }), { ...PDF, maxBytes: 5 });
    const six = await received(bodyOf(['123', '456'], { ends: true }), { ...PDF, maxBytes: 5 });

    expect(await chunksOf(streamOf(five.open))).toEqual(['12345']);
    await expect(chunksOf(streamOf(six.open))).rejects.toMatchObject({ kind: 'protocol' });
    expect(six.seen.released).toBe(1);
  });

  it('gives its connection back, once, when its reader leaves, and nobody has to listen to it any more', async () => {
    const body = bodyOf(['one']);
    const { open, seen, end, call } = await received(body, PDF);
    const stream = streamOf(open);

    await stream.cancel();

    expect([body.destroyed, seen.released]).toEqual([true, 1]);
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
    open.abandon();
    end();
    expect(seen.released).toBe(1);
    expect(() => body.emit('error', new Error('reset'))).not.toThrow();
  });

  it('gives its connection back when its call ends and nobody has asked for it', async () => {
    const body = bodyOf(['one']);
    const { seen, end } = await received(body, PDF);

    end(new PlatformTimeoutError('late'));

    expect([body.destroyed, seen.released]).toEqual([true, 1]);
  });

  it('does not lengthen its call by what arrives after the end', async () => {
    const { open, seen } = await received(bodyOf(['late']), PDF);

    streamOf(open);
    open.abandon();
    await setImmediate();

    expect(seen.renewals).toBe(1);
  });

  it.each<[string, PlatformError | undefined, object]>([
    ['its time is over', new PlatformTimeoutError('late'), { kind: 'timeout', message: 'late' }],
    [
      'its caller cancels it, whose reason it is',
      new ExecutionCancelledError('canceled', { cause: new Error('changed my mind') }),
      { message: 'changed my mind' },
    ],
    ['its call ends for no reason', undefined, { kind: 'unreachable' }],
  ])('fails while it is read when %s', async (_when, reason, expected) => {
    const { open, end } = await received(bodyOf(['one']), PDF);
    const reader = streamOf(open).getReader();
    await reader.read();
    const next = reader.read().catch((error: unknown) => error);
    await setImmediate();

    end(reason);

    expect(await next).toMatchObject(expected);
  });

  it.each([
    ['what was examined', 'text/plain'],
    ['what was read ahead', 'application/pdf'],
  ])('fails when its time is over and %s was not read, and says so', async (_what, type) => {
    const { open, end } = await received(bodyOf([Buffer.alloc(LIMIT), 'more']), { type });
    const stream = streamOf(open);
    await setImmediate();

    end(new PlatformTimeoutError('late'));

    await expect(chunksOf(stream)).rejects.toThrow('was not read for as long as timeoutMs');
  });

  it('fails for the reason of its caller who cancels it, also when it is not read', async () => {
    const { open, end } = await received(bodyOf([Buffer.alloc(LIMIT), 'more']), { type: 'text/plain' });
    const stream = streamOf(open);
    const cause = new Error('changed my mind');

    end(new ExecutionCancelledError('canceled', { cause }));

    await expect(chunksOf(stream)).rejects.toBe(cause);
  });

  it('fails with what broke its connection', async () => {
    const body = bodyOf(['one']);
    const { open, seen } = await received(body, PDF);
    const reader = streamOf(open).getReader();
    await reader.read();
    const next = reader.read().catch((error: unknown) => error);
    await setImmediate();

    body.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));

    expect(await next).toMatchObject({ kind: 'unreachable' });
    expect(seen.released).toBe(1);
  });
});
