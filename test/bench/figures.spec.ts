import { describe, expect, it } from 'vitest';
import { type Run, type Sample } from '../../bench/measure/sample.ts';
import { replaceBetween } from '../../bench/report/document.ts';
import { goalOf, judge } from '../../bench/report/goals.ts';
import { guardFigures, losses } from '../../bench/report/guard.ts';
import { middle, ratio, spread } from '../../bench/report/summary.ts';
import { median } from '../../bench/statistics.ts';

function runOf(...samples: [figure: Sample['figure'], system: string, value: number, cpu?: number][]): Run {
  const rounds = new Map<string, number>();
  return {
    date: '2026-01-31',
    machine: 'a machine',
    rounds: 3,
    loadBefore: 0,
    missing: {},
    samples: samples.map(([figure, system, value, cpu]) => {
      const round = (rounds.get(figure + system) ?? 0) + 1;
      rounds.set(figure + system, round);
      return { figure, system, value, round, ...(cpu !== undefined && { cpu }) };
    }),
  };
}

describe('the figures of a bench run', () => {
  it('are medians: the middle one, or the mean of the middle two', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('have a middle, a least and a most over the rounds, or none where nothing was measured', () => {
    const run = runOf(['own', 'got', 300], ['own', 'got', 100], ['own', 'got', 250]);
    expect(middle(run, 'own', 'got')).toBe(250);
    expect(spread(run, 'own', 'got')).toEqual([100, 300]);
    expect(middle(run, 'own', 'hive')).toBeUndefined();
  });

  it('are compared within each round, so that a slow round falls on both', () => {
    const got = [100, 10, 300].map((value) => ['own', 'got', value] as const);
    const limit = [200, 20, 200].map((value) => ['own', 'limit', value] as const);
    const run = runOf(...got.map(([...row]) => row), ...limit.map(([...row]) => row));
    expect(ratio(run, ['own', 'got'], ['own', 'limit'])).toBe(0.5);
    expect(ratio(run, ['own', 'got'], ['own', 'nest'])).toBeUndefined();
  });
});

describe('the goal beside a figure', () => {
  it('is met from its bound on, upwards or downwards', () => {
    expect(judge(0.6, '0.60', { least: 0.6 })).toBe('0.60 (≥ 0.6: met)');
    expect(judge(0.59, '0.59', { least: 0.6 })).toBe('0.59 (≥ 0.6: **not met**)');
    expect(judge(90, '90 ms', { most: 90 })).toBe('90 ms (≤ 90: met)');
    expect(judge(91, '91 ms', { most: 90 })).toBe('91 ms (≤ 90: **not met**)');
  });

  it('is set for the service and not for its peers, and is another with Redis', () => {
    expect(goalOf('own', 'undici', 'limit')).toEqual({ of: 'limit', least: 0.6 });
    expect(goalOf('own', 'undici-redis', 'limit')).toEqual({ of: 'limit', least: 0.5 });
    expect(goalOf('own', 'nest', 'limit')).toBeUndefined();
    expect(goalOf('open', 'got')).toEqual({ most: 90 });
  });
});

describe('the guard', () => {
  const run = runOf(
    ['own', 'nest', 500, 2000],
    ['own', 'undici', 999, 1000],
    ['cold', 'nest', 1500],
    ['cold', 'undici', 2000],
  );

  it('takes the CPU of requests, and the figure itself of all else, against Nest by hand', () => {
    expect(guardFigures(run)).toEqual({ got: {}, undici: { own: 2, cold: 0.75 } });
  });

  it('reports what lost more than a quarter, and lets smaller losses and gains pass', () => {
    expect(losses({ undici: { own: 2.6, cold: 0.75 } }, guardFigures(run))).toEqual([]);
    expect(losses({ undici: { own: 2.7, cold: 0.2 } }, guardFigures(run))).toEqual([
      'undici, own: 2.7 times Nest by hand before, 2 now',
    ]);
  });

  it('reports what was not measured', () => {
    expect(losses({ undici: { shared: 1 } }, guardFigures(run))).toEqual([
      'undici, shared: 1 times Nest by hand before, not measured now',
    ]);
  });
});

describe('a page with generated parts', () => {
  it('has one part replaced and the rest kept', () => {
    const page = 'a\n<!-- bench -->\nold\n<!-- /bench -->\nb';
    expect(replaceBetween(page, 'bench', 'new')).toBe('a\n<!-- bench -->\n\nnew\n\n<!-- /bench -->\nb');
    expect(() => replaceBetween(page, 'profile', 'new')).toThrow(
      'There is no part <!-- profile --> to replace',
    );
  });
});
