import { describe, expect, it } from '@jest/globals';
import { runNode } from '../support/app/run-node.js';
import { IdleMemory } from '../../src/app/idle-memory.js';

const MB = 1024 * 1024;
const MEMORY = { used: 50 * MB, held: 200 * MB };
const IDLE = { ...MEMORY, utilization: 0.01 };
const BUSY = { ...MEMORY, utilization: 0.8 };

describe('memory that a peak has left', () => {
  it('is given back once, after the process has been idle for three samples', () => {
    const memory = new IdleMemory();
    expect([BUSY, IDLE, IDLE, IDLE, IDLE, IDLE].map((sample) => memory.observe(sample))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it('is given back again after the next busy time', () => {
    const memory = new IdleMemory();
    for (let n = 0; n < 3; n += 1) memory.observe(IDLE);
    expect([BUSY, IDLE, IDLE, IDLE].map((sample) => memory.observe(sample)).at(-1)).toBe(true);
  });

  it('is kept while requests come in', () => {
    const memory = new IdleMemory();
    const some = { ...MEMORY, utilization: 0.2 };
    expect([IDLE, IDLE, some, IDLE, some, IDLE].some((sample) => memory.observe(sample))).toBe(false);
  });

  it.each([
    ['there is little of it', { used: 50 * MB, held: 60 * MB }],
    ['so much is in use that the pause would be long', { used: 300 * MB, held: 600 * MB }],
  ])('is kept where %s', (_what, sample) => {
    const memory = new IdleMemory();
    const idle = { utilization: 0, ...sample };
    expect([idle, idle, idle, idle].some((each) => memory.observe(each))).toBe(false);
  });
});

describe('a collection of garbage', () => {
  it('gives memory back, and the process goes on', async () => {
    const { code, stdout } = await runNode([
      '--input-type=module',
      '--eval',
      `import { collectGarbage } from '${new URL('../../dist/app/idle-memory.js', import.meta.url).href}';
       let peak = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: 'text ' + n }));
       const before = process.memoryUsage().heapTotal;
       peak = undefined;
       for (let round = 0; round < 3; round += 1) {
         collectGarbage();
         await new Promise((resolve) => setTimeout(resolve, 50));
       }
       console.log(process.memoryUsage().heapTotal < before / 2);`,
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'true\n' });
  });
});
