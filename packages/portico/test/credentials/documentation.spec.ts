import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import * as door from '../../src/credentials/index.js';
import { STORES } from '../../src/credentials/credential-source.js';
import { CREDENTIAL_REASONS } from '../../src/errors/credential-error.js';
import { parseProfiles } from '../../src/credentials/parse-profiles.js';

const text = await readFile(new URL('../../../../docs/credentials.md', import.meta.url), 'utf8');

describe('docs/credentials.md', () => {
  it('lists every reason of a CredentialError, and no other', () => {
    const told = [...text.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((row) => row[1]);

    expect(told).toEqual(Object.keys(CREDENTIAL_REASONS));
  });

  it.each(STORES.map(({ name }) => name))('names %s, whose function the package exports', (name) => {
    const provider = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

    expect(door).toHaveProperty(provider, expect.any(Function));
    expect(text).toContain(`\`${provider}\``);
    expect(text).toContain(`\`${name}\``);
  });

  it('shows a valid file of profiles', () => {
    const yaml = /```yaml\n(.*?)```/s.exec(text)?.[1] ?? '';

    expect([...parseProfiles('docs/credentials.md', yaml).keys()]).toEqual([
      'nightly-dashboard',
      'reports',
      'planning',
    ]);
  });
});
