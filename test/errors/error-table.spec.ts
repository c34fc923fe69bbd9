import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as client from 'portico/client';
import { ERROR_CODES } from '../../packages/portico/src/errors/error-codes.js';
import { ERROR_REASONS } from '../../packages/portico/src/errors/error-reasons.js';
import { ERROR_TABLE } from '../../src/errors/error-table.js';

const docs = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const documented = (heading: string): string[] =>
  [...(docs.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([A-Z_]+)`/gm)].map(
    (match) => String(match[1]),
  );

describe('the error table', () => {
  it('has a documented meaning for every code and reason, and documents no other', () => {
    expect(documented('Codes')).toEqual(Object.keys(ERROR_CODES));
    expect(documented('Reasons')).toEqual(Object.keys(ERROR_REASONS));
  });

  it('has a row for every kind of error that the client exports', () => {
    const kinds = Object.values(client).filter(
      (value) =>
        typeof value === 'function' &&
        (value === client.PlatformError || value.prototype instanceof client.PlatformError),
    );
    const covered = ERROR_TABLE.map(({ kind }) => kind);
    const without = kinds.filter(
      (kind) =>
        !covered
          .slice(0, -1)
          .some((row) => row === kind || (kind as { prototype: unknown }).prototype instanceof row),
    );
    // The base kind has the last row, for all codes that have no kind of their own.
    expect(without).toEqual([client.PlatformError]);
  });

  it('lists every row in the documentation', () => {
    for (const { kind, code, platform } of ERROR_TABLE) {
      expect(docs).toContain(`| ${platform} | \`${kind.name}\` | \`${code}\` |`);
    }
  });

  it('goes from the most specific kind to the most general', () => {
    ERROR_TABLE.forEach(({ kind }, index) => {
      const earlier = ERROR_TABLE.slice(0, index).filter((row) => kind.prototype instanceof row.kind);
      expect(earlier).toEqual([]);
    });
  });
});
