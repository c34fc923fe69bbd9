import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptsGzip, AnswerCompression } from '../../src/load/send-answers.js';

const BYTES = Buffer.from('{"name":"Project"}'.repeat(5000));

describe('the compression of answers', () => {
  it('gives gzip of the same bytes', async () => {
    const compressed = await new AnswerCompression().gzip(BYTES, 'a');
    expect(compressed?.byteLength).toBeLessThan(BYTES.byteLength / 10);
    expect(gunzipSync(compressed ?? '')).toEqual(BYTES);
  });

  it('compresses two answers of a caller at once, and gives the others as they are', async () => {
    const compression = new AnswerCompression();
    const ask = (): Promise<Buffer | undefined> => compression.gzip(BYTES, 'a');
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(answers.map((answer) => answer !== undefined)).toEqual([true, true, false, false]);
    expect(await ask()).toBeDefined();
  });

  it('lets 16 callers wait and none of the others, and then begins anew', async () => {
    const compression = new AnswerCompression();
    const ask = (_: unknown, n: number): Promise<Buffer | undefined> =>
      compression.gzip(BYTES, `caller ${n}`);
    const answers = await Promise.all(Array.from({ length: 500 }, ask));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(18);
    expect((await Promise.all(Array.from({ length: 18 }, ask))).every(Boolean)).toBe(true);
  });

  it('gives what would grow as it is', async () => {
    expect(await new AnswerCompression().gzip(Buffer.from('{}'), 'a')).toBeUndefined();
  });
});

describe('an Accept-Encoding', () => {
  it.each([
    'gzip',
    'GZIP',
    'br, gzip',
    'deflate;q=0.5, gzip;q=0.1',
    'x-gzip',
    '*',
    'br;q=1, *;q=0.5',
    'gzip; q=1',
  ])('of %j lets an answer be compressed', (value) => {
    expect(acceptsGzip(value)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'identity',
    'br',
    'gzip;q=0',
    'gzip; q=0.000, br',
    '*;q=0',
    'gzip;q=0, *',
    'gzip;q=x',
  ])('of %j does not let an answer be compressed', (value) => {
    expect(acceptsGzip(value)).toBe(false);
  });
});
