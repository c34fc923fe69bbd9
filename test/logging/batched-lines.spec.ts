import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BatchedLines } from '../../src/logging/batched-lines.js';

describe('lines of the log', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function destination(): {
    written: string[];
    flushes: number;
    write: (lines: string) => void;
    flushSync: () => void;
  } {
    return {
      written: [],
      flushes: 0,
      write(lines) {
        this.written.push(lines);
      },
      flushSync() {
        this.flushes += 1;
      },
    };
  }

  it('are written together, in their order, within 50 ms', () => {
    const to = destination();
    const lines = new BatchedLines(to);
    lines.write('first\n');
    lines.write('second\n');
    expect(to.written).toEqual([]);
    jest.advanceTimersByTime(50);
    expect(to.written).toEqual(['first\nsecond\n']);
  });

  it('are written again after a pause', () => {
    const to = destination();
    const lines = new BatchedLines(to);
    lines.write('first\n');
    jest.advanceTimersByTime(1000);
    lines.write('second\n');
    jest.advanceTimersByTime(50);
    expect(to.written).toEqual(['first\n', 'second\n']);
  });

  it('are written at once where many wait', () => {
    const to = destination();
    const lines = new BatchedLines(to);
    const line = `${'x'.repeat(1023)}\n`;
    for (let n = 0; n < 40; n += 1) lines.write(line);
    expect(to.written).toEqual([line.repeat(32)]);
    jest.advanceTimersByTime(50);
    expect(to.written).toEqual([line.repeat(32), line.repeat(8)]);
  });

  it('that wait are written before a flush returns', () => {
    const to = destination();
    const lines = new BatchedLines(to);
    lines.write('last\n');
    lines.flushSync();
    expect(to).toMatchObject({ written: ['last\n'], flushes: 1 });
    jest.advanceTimersByTime(50);
    expect(to.written).toEqual(['last\n']);
  });
});
