import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { PlatformHttpError } from '../../../src/client/index.js';
import {
  decodeBody,
  decodedStream,
  freeBytes,
  largeBytes,
  ownBytes,
  readBody,
} from '../../../src/client/transport/read-body.js';

const TEXT = Buffer.from('A text that is long enough to be packed, packed, packed and packed.');
const LIMIT = 1000;

const PACKED: [string, Buffer][] = [
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  [' gzip ', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ['deflate, gzip', gzipSync(deflateSync(TEXT))],
  ['gzip, utf-8', gzipSync(TEXT)],
  ['gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(TEXT))))],
  ['none', TEXT],
  ['', TEXT],
];

/** What is left of a stream that is decoded while it arrives in chunks. */
async function streamed(codings: string, packed: Buffer, size = 7): Promise<Buffer> {
  const chunks = Array.from({ length: Math.ceil(packed.length / size) }, (_, n) =>
    packed.subarray(n * size, (n + 1) * size),
  );
  const decoded = await decodedStream(Readable.from(chunks), codings);
  return Buffer.concat((await decoded.toArray()) as Buffer[]);
}

describe('a body with a coding', () => {
  it.each(PACKED)('of %j is unpacked, whole or while it arrives', async (codings, packed) => {
    expect((await decodeBody(packed, codings, LIMIT))?.toString()).toBe(TEXT.toString());
    expect((await streamed(codings, packed)).toString()).toBe(TEXT.toString());
  });

  it.each(['gzip', 'deflate', 'zstd'])(
    'of %s that a proxy has unpacked is left as it is, if it is JSON',
    async (coding) => {
      for (const text of ['{"a":1}', '[1]', '  \n{"a":1}']) {
        expect((await decodeBody(Buffer.from(text), coding, LIMIT))?.toString()).toBe(text);
        expect((await streamed(coding, Buffer.from(text))).toString()).toBe(text);
      }
      for (const text of ['a{', 'text']) {
        expect(await decodeBody(Buffer.from(text), coding, LIMIT)).toBeUndefined();
        await expect(streamed(coding, Buffer.from(text))).rejects.toThrow();
      }
    },
  );

  it('may begin like JSON by chance', async () => {
    const packed = brotliCompressSync(Buffer.alloc(54, 'x'));
    for (let length = 1; length < 200; length += 1) {
      const content = Buffer.alloc(length, 'x');
      expect(await streamed('br', brotliCompressSync(content))).toEqual(content);
    }
    expect(await streamed('br', packed)).toHaveLength(54);
  });

  it('that is broken is undefined', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'zstd']) {
      expect(await decodeBody(Buffer.from('\xff\xfe no'), coding, LIMIT)).toBeUndefined();
    }
    expect(await decodeBody(brotliCompressSync(Buffer.from('no')), 'gzip, br', LIMIT)).toBeUndefined();
  });

  it('that is empty stays empty', async () => {
    expect(await decodeBody(Buffer.alloc(0), 'gzip', LIMIT)).toHaveLength(0);
    expect(await decodeBody(gzipSync(Buffer.alloc(0)), 'br, gzip', LIMIT)).toHaveLength(0);
    expect(await streamed('gzip', Buffer.alloc(0))).toHaveLength(0);
  });

  it('may have as many bytes as are allowed, not one more', async () => {
    for (const [codings, content] of [
      ['gzip', gzipSync(Buffer.alloc(LIMIT))],
      ['', Buffer.alloc(LIMIT)],
    ] as const) {
      expect(await decodeBody(content, codings, LIMIT)).toHaveLength(LIMIT);
      const call = decodeBody(content, codings, LIMIT - 1);
      await expect(call).rejects.toThrow(PlatformHttpError);
      await expect(call).rejects.toThrow('larger than 999 bytes');
    }
  });

  it('has at most four of them', async () => {
    const codings = 'gzip, gzip, gzip, gzip, gzip';
    const packed = gzipSync(gzipSync(gzipSync(gzipSync(gzipSync(TEXT)))));
    const body = Readable.from([packed]);

    expect(await decodeBody(packed, codings, LIMIT)).toBeUndefined();
    await expect(decodedStream(body, codings)).rejects.toThrow('too many content codings');
    await expect(decodedStream(Readable.from([packed]), codings)).rejects.toThrow(PlatformHttpError);
    expect(body.destroyed).toBe(true);
  });

  it('of an unknown coding is the same stream', async () => {
    const body = Readable.from([TEXT]);

    expect(await decodedStream(body, 'none')).toBe(body);
  });

  it('is closed when what is read of it is given up', async () => {
    const body = new Readable({ read: () => undefined });
    body.push(gzipSync(TEXT).subarray(0, 20));
    const decoded = await decodedStream(body, 'gzip');
    const closed = new Promise((resolve) => body.once('close', resolve));
    decoded.on('error', () => undefined).destroy();

    await closed;
    expect(body.destroyed).toBe(true);
  });
});

describe('a body that is read', () => {
  const large = (bytes: number, wait: () => Promise<void>) => ({ bytes, wait });

  it('to its end is whole, with nothing that was not sent', async () => {
    expect(await readBody(Readable.from([]), LIMIT)).toEqual(Buffer.alloc(0));
    expect(await readBody(Readable.from([TEXT]), LIMIT)).toBe(TEXT);
    expect((await readBody(Readable.from([TEXT, TEXT]), LIMIT)).equals(Buffer.concat([TEXT, TEXT]))).toBe(
      true,
    );
    expect(await readBody(Readable.from([TEXT]), TEXT.length)).toBe(TEXT);
  });

  it('after it has failed is that failure, and after it was closed it ended early', async () => {
    const failed = Readable.from([TEXT]);
    failed.on('error', () => undefined).destroy(new RangeError('lost'));
    const closed = Readable.from([TEXT]).destroy();
    const read = Readable.from([]);
    await read.toArray();

    await expect(readBody(failed, LIMIT)).rejects.toThrow('lost');
    await expect(readBody(closed, LIMIT)).rejects.toMatchObject({
      message: 'The body ended early.',
      code: 'ECONNRESET',
    });
    for (const each of [failed, closed]) expect(each.listenerCount('data')).toBe(0);
  });

  it('and is closed before its end has ended early', async () => {
    const body = new Readable({ read: () => undefined });
    body.push(TEXT);
    const reading = readBody(body, LIMIT);
    const ended = expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    body.destroy();

    await ended;
  });

  it('and is too large is closed at once', async () => {
    const body = new Readable({ read: () => undefined });
    body.push(Buffer.alloc(LIMIT + 1));

    await expect(readBody(body, LIMIT)).rejects.toThrow('larger than 1000 bytes');
    expect(body.destroyed).toBe(true);
  });

  it.each([
    [TEXT.length, 0],
    [TEXT.length - 1, 1],
  ])('waits once it has more than %d bytes: %d times', async (bytes, times) => {
    let waits = 0;
    const wait = (): Promise<void> => {
      waits += 1;
      return Promise.resolve();
    };

    expect(await readBody(Readable.from([TEXT]), LIMIT, large(bytes, wait))).toBe(TEXT);
    expect(waits).toBe(times);
  });

  it('leaves the rest where it is until its wait is over', async () => {
    const turn = Promise.withResolvers<undefined>();
    const body = Readable.from([TEXT, TEXT]);
    const reading = readBody(
      body,
      LIMIT,
      large(1, () => turn.promise),
    );
    await new Promise(setImmediate);
    expect(body.isPaused()).toBe(true);
    turn.resolve(undefined);

    expect(await reading).toHaveLength(2 * TEXT.length);
  });
});

describe('memory that was given back', () => {
  const MEGABYTE = 1024 * 1024;
  // What other tests have given back in this process, of whatever size, is used up first.
  beforeEach(() => {
    for (let size = 4; size <= 64; size += 4) for (const _ of 'ab') largeBytes(size * MEGABYTE);
  });

  it('is used for the next bytes of its size, at most twice', () => {
    const all = ['a', 'b', 'c'].map((letter) => ownBytes(largeBytes(3 * MEGABYTE).fill(letter)));
    for (const each of all) {
      freeBytes(each);
      expect(each).toHaveLength(0);
    }

    const next = [1, 2].map(() => largeBytes(4 * MEGABYTE));
    expect(next.map(({ length }) => length)).toEqual([4 * MEGABYTE, 4 * MEGABYTE]);
    expect(next.map((each) => each.toString('latin1', 0, 1))).toEqual(['a', 'b']);
  });

  it('is not used for bytes of another size, and odd sizes are not kept', () => {
    freeBytes(ownBytes(largeBytes(1).fill('x')));
    expect(largeBytes(5 * MEGABYTE)).toHaveLength(8 * MEGABYTE);
    const odd = ownBytes(Buffer.allocUnsafeSlow(MEGABYTE).fill('x'));
    freeBytes(odd);

    expect(odd).toHaveLength(0);
    expect(largeBytes(1)).toHaveLength(4 * MEGABYTE);
    expect(largeBytes(1)).toHaveLength(4 * MEGABYTE);
  });
});
