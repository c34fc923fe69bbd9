import { describe, expect, it } from '@jest/globals';
import { ShortMemory } from '../../../src/session/store/short-memory.js';
import { manualClock } from '../../../packages/portico/test/support/manual-clock.js';

describe('a short memory', () => {
  it('keeps what is used, and returns nothing that was unused for too long', () => {
    const clock = manualClock();
    const memory = new ShortMemory<{ n: number }>(10, 1000, clock.now);
    memory.set('used', { n: 1 });
    memory.set('unused', { n: 2 });
    clock.advance(900);
    expect(memory.get('used')).toEqual({ n: 1 });
    clock.advance(900);

    expect(memory.get('used')).toEqual({ n: 1 });
    expect(memory.get('unused')).toBeUndefined();
  });

  it('drops what is no longer asked for', () => {
    const clock = manualClock();
    const memory = new ShortMemory<{ n: number }>(10, 1000, clock.now);
    memory.set('one', { n: 1 });
    clock.advance(900);
    memory.set('two', { n: 2 });
    clock.advance(200);
    memory.sweep();
    expect(memory.size).toBe(1);
    clock.advance(1000);
    memory.sweep();
    expect(memory.size).toBe(0);
  });

  it('is bounded: the least recently used value is dropped first', () => {
    const memory = new ShortMemory<{ n: number }>(2, 1000);
    memory.set('a', { n: 1 });
    memory.set('b', { n: 2 });
    memory.get('a');
    memory.set('c', { n: 3 });
    expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([{ n: 1 }, undefined, { n: 3 }]);
  });
});
