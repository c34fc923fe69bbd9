import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { SESSION_STORES, type SessionStoreKind } from '../../../src/config/session-settings.js';
import { backendFile } from '../../../src/session/store/store-backend.js';

const KINDS = Object.keys(SESSION_STORES) as SessionStoreKind[];

describe('the kinds of session stores', () => {
  it.each(KINDS)('%s has a file that opens it, tries it out and says what to check', async (kind) => {
    const { open, tryOut, fix } = await backendFile(kind);

    expect([open, tryOut]).toEqual([expect.any(Function), expect.any(Function)]);
    expect(fix).toMatch(/^[A-Z_]+: /);
  });
});
