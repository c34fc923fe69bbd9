import { describe, expect, it } from '@jest/globals';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { IdleMemory, type IdleSample } from '../../src/app/idle-memory.js';

const MB = 1024 * 1024;
const MEMORY = { used: 50 * MB, held: 200 * MB };
const IDLE = { ...MEMORY, utilization: 0.01, inFlight: 0 };
const BUSY = { ...MEMORY, utilization: 0.8, inFlight: 9 };

/** Samples a tenth of a second apart. */
const SAMPLES = 30;

describe('memory that a peak has left', () => {
  /** A process whose start is over. */
  function started(): IdleMemory {
    const memory = new IdleMemory();
    memory.observe(IDLE);
    return memory;
  }
  const observed = (memory: IdleMemory, ...samples: readonly IdleSample[]): number[] =>
    samples.flatMap((sample, index) => (memory.observe(sample) ? [index] : []));
  const idle = (sample = IDLE): IdleSample[] => Array<IdleSample>(2 * SAMPLES).fill(sample);

  it('is given back once, after the process has been idle for 3 s', () => {
    expect(observed(started(), BUSY, ...idle())).toEqual([SAMPLES]);
  });

  it('is given back again after the next busy time', () => {
    const memory = started();
    observed(memory, BUSY, ...idle());
    expect(observed(memory, BUSY, ...idle())).toEqual([SAMPLES]);
  });

  it('is given back by the start as soon as the process is idle', () => {
    const starting = { ...BUSY, inFlight: 0 };
    expect(observed(new IdleMemory(), starting, starting, ...idle())).toEqual([2]);
  });

  it('is given back by the start only after 3 s if requests have come in before it was idle', () => {
    expect(observed(new IdleMemory(), BUSY, ...idle())).toEqual([SAMPLES]);
  });

  it('is kept while requests come in', () => {
    const some = { ...IDLE, utilization: 0.2 };
    const now = idle().flatMap((sample, index) => (index % 10 === 0 ? [some] : [sample]));
    expect(observed(started(), BUSY, ...now)).toEqual([]);
  });

  it('is kept while a request waits for the platform', () => {
    expect(observed(started(), BUSY, ...idle({ ...IDLE, inFlight: 1 }))).toEqual([]);
  });

  it.each([
    ['there is little of it', { used: 50 * MB, held: 55 * MB }],
    ['so much is in use that the pause would be long', { used: 300 * MB, held: 600 * MB }],
  ])('is kept where %s', (_what, sample) => {
    expect(observed(started(), BUSY, ...idle({ ...IDLE, ...sample }))).toEqual([]);
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
