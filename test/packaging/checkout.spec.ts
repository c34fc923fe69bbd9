import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);

describe('a checkout', () => {
  it('has only names that every file system takes', () => {
    expect(tracked.length).toBeGreaterThan(500);
    expect(tracked.filter((name) => !/^[\w@./-]+$/.test(name))).toEqual([]);
  });
});
