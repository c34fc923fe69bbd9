import { describe, expect, it } from 'vitest';
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

  it.each(STORES.map(({ name }) => name))(
    '%s has a spec that runs what every provider does',
    async (name) => {
      const spec = new URL(`providers/${name.replaceAll('_', '-')}.spec.ts`, import.meta.url);

      expect(await readFile(spec, 'utf8')).toMatch(new RegExp(`Conformance\\(\\{\\s+store: '${name}',`));
    },
  );

  it('names the store of every function that the package exports', () => {
    const providers = Object.keys(door).filter((name) => /^[a-z]/.test(name) && !name.startsWith('problems'));
    const names = providers.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

    expect(names.sort()).toEqual(STORES.map(({ name }): string => name).sort());
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
