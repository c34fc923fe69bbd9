import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchedLines } from '../../src/logging/standard-output.js';

describe('lines of the log', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function destination(): { written: string[]; lines: BatchedLines } {
    const written: string[] = [];
    return { written, lines: new BatchedLines((lines) => written.push(lines)) };
  }

  it('are written together, in their order, within 50 ms', () => {
    const { written, lines } = destination();
    lines.write('first\n');
    lines.write('second\n');
    expect(written).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(written).toEqual(['first\nsecond\n']);
  });

  it('are written again after a pause', () => {
    const { written, lines } = destination();
    lines.write('first\n');
    vi.advanceTimersByTime(1000);
    lines.write('second\n');
    vi.advanceTimersByTime(50);
    expect(written).toEqual(['first\n', 'second\n']);
  });

  it('are written at once where many wait', () => {
    const { written, lines } = destination();
    const line = `${'x'.repeat(1023)}\n`;
    for (let n = 0; n < 40; n += 1) lines.write(line);
    expect(written).toEqual([line.repeat(32)]);
    vi.advanceTimersByTime(50);
    expect(written).toEqual([line.repeat(32), line.repeat(8)]);
  });

  it('that wait are taken by a process that exits, and not written again', () => {
    const { written, lines } = destination();
    lines.write('last\n');
    expect(lines.take()).toBe('last\n');
    vi.advanceTimersByTime(50);
    expect(written).toEqual([]);
  });
});
