import 'reflect-metadata';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SESSION_STORES, type SessionStoreKind } from '../../../src/config/session-settings.js';
import { backendFile } from '../../../src/session/store/backend-file.js';

const KINDS = Object.keys(SESSION_STORES) as SessionStoreKind[];

describe('the kinds of session stores', () => {
  it.each(KINDS)('include %s, whose file opens it, tries it out and says what to check', async (kind) => {
    const { open, tryOut, fix } = await backendFile(kind);

    expect([open, tryOut]).toEqual([expect.any(Function), expect.any(Function)]);
    expect(fix).toMatch(/^[A-Z_]+: /);
  });

  it.each(KINDS)('include %s, whose spec runs what every store does', async (kind) => {
    const spec = await readFile(new URL(`${kind}-session-store.spec.ts`, import.meta.url), 'utf8');

    expect(spec).toContain(`sessionStoreConformance('${kind}',`);
  });

  it.each(KINDS)('include %s, which docs/operations.md compares with the others', async (kind) => {
    const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const [heads = ''] = /^\|.*`SESSION_STORE=.*$/m.exec(page) ?? [];

    expect(heads).toContain(`\`SESSION_STORE=${kind}\``);
  });

  it('are exactly those that have a file', async () => {
    const files = await readdir(new URL('../../../src/session/store/', import.meta.url));
    const kinds = files.flatMap((name) => /^(.+)-session-store\.ts$/.exec(name)?.[1] ?? []);

    expect(kinds.sort()).toEqual([...KINDS].sort());
  });
});
