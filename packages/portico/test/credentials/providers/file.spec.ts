import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CredentialReason, file } from '../../../src/credentials/index.js';
import { credentialProviderConformance } from '../../conformance/credential-provider.conformance.js';
import { expectCredentialError } from '../../support/credentials/expect-credential-error.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';

const folder = await mkdtemp(join(tmpdir(), 'portico-file-'));
const path = join(folder, 'password');

describe('file', () => {
  beforeEach(() => mkdir(folder, { recursive: true }));
  afterEach(() => rm(folder, { recursive: true }));

  credentialProviderConformance({
    store: 'file',
    secret: path,
    takesKey: true,
    takesTtl: true,
    holdsBytes: true,
    start: () =>
      Promise.resolve({
        put: (secret) => writeFile(path, secret),
        provider: (options = {}) => file({ path, ...options }),
        close: () => Promise.resolve(),
      }),
  });

  it.each([
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    ['two\nlines\n', 'two\nlines'],
    ['two\r\nlines', 'two\r\nlines'],
    [' secret ', ' secret '],
  ])('removes one final line break: %j', async (content, secret) => {
    await writeFile(path, content);

    expect(await file({ path })()).toBe(secret);
  });

  it('reads as much as the largest secret', async () => {
    const largest = 'x'.repeat(65_536);
    await writeFile(path, largest);

    expect(await file({ path })()).toBe(largest);
  });

  it.each<[string, CredentialReason, () => Promise<unknown>]>([
    ['a link to itself', 'UNREACHABLE', () => symlink('password', path)],
    [
      'in a file',
      'NOT_FOUND',
      async () => {
        await rm(folder, { recursive: true });
        await writeFile(folder, '');
      },
    ],
  ])('does not find what is %s: %s', async (_what, reason, make) => {
    await make();

    await expect(file({ path })()).rejects.toMatchObject({ reason });
  });

  it.each<[string, () => Promise<unknown> | Buffer]>([
    ['a folder', () => mkdir(path)],
    ['a pipe that nobody writes to', () => execFileSync('mkfifo', [path])],
    ['larger than a secret can be', () => writeFile(path, 'x'.repeat(65_537))],
  ])('does not read what is %s', async (_, make) => {
    await make();

    await expectCredentialError(
      file({ path }),
      { store: 'file', secret: path, reason: 'MALFORMED' },
      secretCanary(),
    );
  });
});
