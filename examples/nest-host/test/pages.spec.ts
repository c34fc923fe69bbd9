import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHOP = 'examples/nest-host';

/** The lines of code without their indentation, which a page takes off. */
const flat = (text: string): string => text.replaceAll(/^ +/gm, '').replaceAll(/\n{2,}/g, '\n');
const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(SHOP, folder)).map((name) => flat(readFileSync(join(SHOP, folder, name), 'utf8'))),
);
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, block = '']) => block);

describe('each block of TypeScript', () => {
  it('in docs/nest.md is part of the shop, which is compiled and run', () => {
    const blocks = blocksOf(readFileSync('docs/nest.md', 'utf8'));
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    // The imports of a block may stand above others there.
    const parts = blocks.flatMap((block) => block.split('\n\n').map(flat));
    expect(parts.filter((part) => !files.some((file) => file.includes(part.trim())))).toEqual([]);
  });

  it('that the README shows of an application that mounts Portico has at most 15 lines, and is part of the shop', () => {
    const [, section = ''] = readFileSync('README.md', 'utf8').split('## Inside a Nest application\n');
    const [block = ''] = blocksOf(section);
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThanOrEqual(15);
    const parts = block.split('\n\n').map(flat);
    expect(parts.filter((part) => !files.some((file) => file.includes(part.trim())))).toEqual([]);
  });
});
