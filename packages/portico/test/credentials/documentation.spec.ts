import { describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import * as door from '../../src/credentials/index.js';
import { STORES } from '../../src/credentials/credential-source.js';
import { CREDENTIAL_REASONS } from '../../src/errors/credential-error.js';
import { parseProfiles } from '../../src/credentials/parse-profiles.js';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');
const text = await read('../../../../docs/credentials.md');
const exported = (await read('../../src/credentials/index.ts')).match(/\w+/g);
const { peerDependencies, peerDependenciesMeta } = await manifest('../../package.json');
const { devDependencies } = await manifest('../../../../package.json');

function manifest(path: string): Promise<Record<string, Record<string, unknown>>> {
  return read(path).then((json) => JSON.parse(json) as Record<string, Record<string, unknown>>);
}

/** What a part of the page has between backticks. */
const quoted = (part = ''): (string | undefined)[] =>
  [...part.matchAll(/`([^`]+)`/g)].map(([, words]) => words);
const providers = /^\| provider .*\n.*\n((?:\|.*\n)+)/m.exec(text)?.[1]?.trim().split('\n') ?? [];
const rows = providers.flatMap((row) => quoted(row).slice(0, 1));
const packages = providers.flatMap((row) => quoted(row.split('|').at(-2)));
const namesOfStores = quoted(/`store` \(([^)]+)\)/.exec(text)?.[1]);

describe('docs/credentials.md', () => {
  it('lists every reason of a CredentialError, and no other', () => {
    const told = [...text.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((row) => row[1]);

    expect(told).toEqual(Object.keys(CREDENTIAL_REASONS));
  });

  it.each(STORES.map(({ name }) => name))('names %s, whose function the package exports', (name) => {
    const provider = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const type = `${provider.charAt(0).toUpperCase()}${provider.slice(1)}Parameters`;

    expect(door, `index.ts exports ${provider}`).toHaveProperty(provider, expect.any(Function));
    expect(exported, `index.ts exports the type ${type}`).toContain(type);
    expect(rows, `the table of providers has a row for ${provider}`).toContain(provider);
    expect(namesOfStores, `the stores of a profile include ${name}`).toContain(name);
  });

  it('names every SDK, each an optional peer of the package in the version that is tested', () => {
    const sdks = Object.keys(peerDependencies ?? {});
    expect(sdks.filter((name) => !packages.includes(name))).toEqual([]);
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(sdks.map((name) => [name, { optional: true }])));
    expect(peerDependencies).toEqual(
      Object.fromEntries(sdks.map((name) => [name, `^${String(devDependencies?.[name])}`])),
    );
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
