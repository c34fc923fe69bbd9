import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody, freeBytes, type Large, readBody } from '../../../src/client/transport/read-body.js';

const LIMIT = 1000;
const MEGABYTE = 1024 * 1024;
const bytes = (length: number): Buffer =>
  Buffer.alloc(length, Buffer.from(Array.from({ length: 251 }, (_, n) => n)));
/** A body that arrives in chunks of a size. */
const arriving = (body: Buffer, size = 10): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(body.length / size) }, (_, n) => body.subarray(n * size, (n + 1) * size)),
  );
const large = (wait = (): Promise<void> => Promise.resolve()): Large => ({ bytes: 50, wait });

describe('a large body', () => {
  it.each([
    ['300 bytes', 300, 10],
    ['as much as stays in chunks', MEGABYTE / 2, 16 * 1024],
    ['a byte more than that', MEGABYTE / 2 + 1, 16 * 1024],
    ['some megabytes', 3 * MEGABYTE + 5, 64 * 1024],
    ['megabytes in one chunk', 3 * MEGABYTE, 3 * MEGABYTE],
  ])('of %s is read whole, in order', async (_which, length, size) => {
    const read = await readBody(arriving(bytes(length), size), 4 * MEGABYTE, large());
    expect(read.equals(bytes(length))).toBe(true);
  });

  it('of just the limit is read whole, and one byte more fails and closes it', async () => {
    const limit = 1.5 * MEGABYTE;
    expect((await readBody(arriving(bytes(limit), 64 * 1024), limit)).equals(bytes(limit))).toBe(true);
    const longer = arriving(bytes(limit + 1), 64 * 1024);
    await expect(readBody(longer, limit)).rejects.toThrow(`larger than ${limit} bytes`);
    expect(longer.destroyed).toBe(true);
  });

  it('over the limit fails, and is closed', async () => {
    const body = arriving(bytes(2 * LIMIT));
    await expect(readBody(body, LIMIT, large())).rejects.toThrow('larger than 1000 bytes');
    expect(body.destroyed).toBe(true);
  });

  it('gives its memory back when it is freed, and only that', async () => {
    const read = await readBody(arriving(bytes(2 * MEGABYTE), 64 * 1024), 4 * MEGABYTE);
    const short = await readBody(arriving(bytes(300)), LIMIT);
    const alone = bytes(MEGABYTE / 2);
    for (const each of [read, short, await readBody(Readable.from([alone]), MEGABYTE)]) freeBytes(each);
    expect(read).toHaveLength(0);
    expect(short).toEqual(bytes(300));
    expect(alone).toHaveLength(MEGABYTE / 2);
  });

  it('leaves its memory to the next ones, and nothing of itself', async () => {
    const secret = Buffer.alloc(3 * MEGABYTE, 'secret');
    for (let time = 0; time < 3; time += 1) {
      const both = await Promise.all([
        readBody(arriving(secret, 64 * 1024), 4 * MEGABYTE),
        readBody(arriving(bytes(MEGABYTE), 64 * 1024), 4 * MEGABYTE),
      ]);
      expect(both[0].equals(secret)).toBe(true);
      expect(both[1].equals(bytes(MEGABYTE))).toBe(true);
      both.forEach(freeBytes);
      expect(both.map(({ length }) => length)).toEqual([0, 0]);
    }
    const longer = bytes(9 * MEGABYTE);
    const read = await readBody(arriving(longer, 64 * 1024), Infinity);
    expect(read.equals(longer)).toBe(true);
    freeBytes(read);
    freeBytes(read);
    expect(read).toHaveLength(0);
  });

  it('that was packed gives its memory back as well', async () => {
    const packed = gzipSync(bytes(2 * MEGABYTE));
    const read = await decodeBody(packed, 'gzip', 4 * MEGABYTE);
    expect(read?.equals(bytes(2 * MEGABYTE))).toBe(true);
    freeBytes(read ?? Buffer.alloc(1));
    expect(read).toHaveLength(0);
  });

  it('waits once, and fails if the wait does', async () => {
    let waits = 0;
    const counted = (): Promise<void> => {
      waits += 1;
      return Promise.resolve();
    };
    await readBody(arriving(bytes(300)), LIMIT, large(counted));
    expect(waits).toBe(1);
    const failing = readBody(
      arriving(bytes(300)),
      LIMIT,
      large(() => Promise.reject(new Error('gone'))),
    );
    await expect(failing).rejects.toThrow('gone');
  });
});
