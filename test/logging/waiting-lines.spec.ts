import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { WaitingLines } from '../../src/logging/standard-output.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';

const fault = (code: string): Error => Object.assign(new Error(code), { code });

describe('lines on their way', () => {
  let written: string;
  let reports: string[];
  /** What the next writes do: take so many bytes, or fail. Afterwards, all bytes are taken. */
  let turns: (number | Error)[];
  let open: Promise<unknown>;
  beforeEach(() => {
    written = '';
    reports = [];
    turns = [];
    open = Promise.resolve();
  });
  const lines = (mostBytes = 1024 * 1024): WaitingLines =>
    new WaitingLines({
      name: 'The log',
      mostBytes,
      write: async (bytes) => {
        await open;
        const turn = turns.shift() ?? bytes.length;
        if (turn instanceof Error) throw turn;
        written += bytes.toString('utf8', 0, turn);
        return turn;
      },
      report: (message) => {
        reports.push(message);
      },
    });

  it('stay whole and in order, however few bytes the reader takes', async () => {
    turns = [3, fault('EAGAIN'), 1, 0, fault('EAGAIN'), 2];
    const waiting = lines();
    waiting.write('first\n');
    waiting.write('second\n');
    await eventually(() => written.endsWith('second\n'));
    waiting.write('third\n');
    await waiting.close();
    expect(written).toBe('first\nsecond\nthird\n');
    expect(reports).toEqual([]);
  });

  it('of one turn of the event loop are one write', async () => {
    turns = ['first\nsecond\nthird\n'.length, fault('EAGAIN')];
    const waiting = lines();
    for (const line of ['first', 'second', 'third']) waiting.write(`${line}\n`);
    await nextTurn();
    await waiting.close();
    expect([written, turns]).toEqual(['first\nsecond\nthird\n', [fault('EAGAIN')]]);
  });

  it('of one turn are all there for a process that exits within it', () => {
    const waiting = lines();
    for (const line of ['first', 'second']) waiting.write(`${line}\n`);
    expect(waiting.take().toString()).toBe('first\nsecond\n');
  });

  it('that are too many for a slow reader are lost and counted, the reserved ones last', async () => {
    const reader = gate();
    open = reader.passed;
    const waiting = lines(100);
    for (let n = 0; n < 30; n += 1) waiting.write(`line ${n % 10}...\n`);
    waiting.write('important\n', 10);
    reader.open();
    await eventually(() => reports.length === 2);
    expect(written).toMatch(/^(line \d\.\.\.\n)+important\n$/);
    const kept = written.split('\n').length - 2;
    expect(reports).toEqual([
      expect.stringMatching(/^The log cannot be written \(its reader is too slow\)/),
      `The log is written again; lines that were lost: ${30 - kept}`,
    ]);
  });

  it('are written at the end, for a limited time if the reader is stuck', async () => {
    turns = Array.from({ length: 1000 }, () => fault('EAGAIN'));
    const waiting = lines();
    waiting.write('line\n');
    await waiting.close(10);
    expect(written).toBe('');
    expect(waiting.take().toString()).toBe('line\n');
    turns = [];
    await waiting.close();
  });

  it('do not hold up the end if they cannot be written', async () => {
    turns = [fault('ENOSPC'), fault('ENOSPC'), fault('ENOSPC')];
    const waiting = lines();
    waiting.write('line\n');
    await eventually(() => reports.length === 1);
    await waiting.close();
    expect(reports).toEqual([expect.stringMatching(/^The log cannot be written \(ENOSPC\): up to 1 MB/)]);
  });

  it('that are being written are not taken by a process that exits, and still arrive if it does not', async () => {
    const reader = gate();
    open = reader.passed;
    const waiting = lines();
    waiting.write('on its way\n');
    await nextTurn();
    waiting.write('after it\n');
    expect(waiting.take().toString()).toBe('after it\n');
    reader.open();
    waiting.write('later\n');
    await waiting.close();
    expect(written).toBe('on its way\nlater\n');
  });
});
