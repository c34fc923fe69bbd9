import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import * as errors from '../../src/embedded-platform/errors.js';
import { DEMO_LOGINS } from '../../src/embedded-platform/index.js';

const PAGE = join(import.meta.dirname, '../../docs/embedded-platform.md');

describe('the page about the embedded platform', () => {
  let page: string;
  beforeAll(async () => {
    page = await readFile(PAGE, 'utf8');
  });

  /** The cells of every table row below a heading, without the header row. */
  const rowsBelow = (heading: string): string[][] => {
    const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    return rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
  };

  it('lists every login, and no other', () => {
    const listed = rowsBelow('Logins').map(([, user = '']) => user.replaceAll('`', ''));

    expect(listed).toEqual(DEMO_LOGINS.users.map(({ username }) => username));
  });

  it('lists every refusal, and no other', () => {
    const { Refusal, ...factories } = errors;
    const refusals = Object.values(factories).map((refuse) => refuse('for the page'));
    const listed = rowsBelow('Refusals').map(([, ...cells]) => cells.slice(0, 3).join(' ').trim());

    expect(refusals.every((refusal) => refusal instanceof Refusal)).toBe(true);
    expect(new Set(listed)).toEqual(
      new Set(
        refusals.map(({ status, code, iServerCode = '' }) => `${status} ${code} ${iServerCode}`.trim()),
      ),
    );
    expect(listed).toHaveLength(new Set(listed).size);
  });
});
