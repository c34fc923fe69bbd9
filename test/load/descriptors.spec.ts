import { describe, expect, it } from 'vitest';
import { mostConnections } from '../../src/load/descriptors.js';

describe('how many connections a limit of open files allows', () => {
  it.each([
    [1, 1],
    [64, 16],
    [170, 42],
    [172, 44],
    [1024, 896],
    [10_000, 9_000],
    [Infinity, 32_768],
  ])('is, for %d files, %d', (files, connections) => {
    expect(mostConnections(files)).toBe(connections);
  });
});
