import { describe, expect, it } from 'vitest';
import {
  cutChangelog,
  nextVersion,
  notesOf,
  type Step,
  stepOfSchema,
  versionProblem,
  withVersion,
} from '../../scripts/release-plan.js';

const SCHEMA = 'type Query { me: String }';

describe('the step that a schema asks for', () => {
  it.each<[Step, string, string]>([
    ['patch', 'is the same', SCHEMA],
    ['minor', 'has another field', 'type Query { me: String you: String }'],
    ['minor', 'has another description', 'type Query { "Who asks." me: String }'],
    ['major', 'lacks a field', 'type Query { you: String }'],
    ['major', 'requires an argument', 'type Query { me(of: ID!): String }'],
  ])('is %s if it %s', async (step, _what, after) => {
    expect(await stepOfSchema(SCHEMA, after)).toBe(step);
  });
});

describe('a version', () => {
  it.each<[string | undefined, string, Step]>([
    [undefined, '0.2.0', 'patch'],
    ['0.2.0', '0.2.1', 'patch'],
    ['0.2.0', '0.3.0', 'major'],
    ['0.2.9', '1.0.0', 'patch'],
    ['1.2.0', '1.3.0', 'minor'],
    ['1.2.0', '2.0.0', 'major'],
  ])('may follow: %s, %s, with a schema that asks for %s', (last, next, step) => {
    expect(versionProblem(last, next, step)).toBeUndefined();
  });

  it.each<[string | undefined, string, Step, RegExp]>([
    [undefined, '0.2', 'patch', /is not a version/],
    [undefined, 'v0.2.0', 'patch', /is not a version/],
    ['0.2.0', '0.2.0', 'patch', /does not follow/],
    ['0.2.1', '0.2.0', 'patch', /does not follow/],
    ['1.0.0', '0.9.0', 'patch', /does not follow/],
    ['0.2.0', '0.2.1', 'minor', /has changes since 0\.2\.0: 0\.2\.1 is too little, raise the minor version/],
    ['0.2.0', '0.2.1', 'major', /has breaking changes .* raise the minor version/],
    ['1.2.0', '1.3.0', 'major', /has breaking changes .* raise the major version/],
  ])('may not follow: %s, %s, with a schema that asks for %s', (last, next, step, why) => {
    expect(versionProblem(last, next, step)).toMatch(why);
  });

  it('is the least that may follow, if none is given', () => {
    expect(nextVersion('0.2.0', undefined)).toBe('0.2.0');
    expect(nextVersion('0.2.0', 'patch')).toBe('0.2.1');
    expect(nextVersion('0.2.3', 'major')).toBe('0.3.0');
    expect(nextVersion('1.2.3', 'minor')).toBe('1.3.0');
    expect(nextVersion('1.2.3', 'major')).toBe('2.0.0');
  });
});

describe('the changelog of a release', () => {
  const LOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n';

  it('has what was unreleased under the version and its date, and an empty section for what comes', () => {
    const cut = cutChangelog(LOG, '0.2.0', '2026-03-01');
    expect(cut).toBe(LOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 - 2026-03-01\n'));
    expect(notesOf(cut, '0.2.0')).toBe('### Added\n\n- A thing.');
    expect(() => cutChangelog(cut, '0.3.0', '2026-03-02')).toThrow('nothing under "## Unreleased"');
  });
});

describe('the version of both packages', () => {
  it('is in the manifests, in what the service depends on, and in the lock file, and nowhere else', () => {
    const manifest = {
      name: 'portico-service',
      version: '0.1.0',
      bin: { portico: 'dist/cli.js' },
      dependencies: { portico: '0.1.0', pino: '0.1.0' },
    };
    const service = { ...manifest, version: '0.2.0', dependencies: { portico: '0.2.0', pino: '0.1.0' } };
    expect(JSON.parse(withVersion(JSON.stringify(manifest), '0.2.0'))).toEqual(service);
    const lock = {
      version: '0.1.0',
      packages: {
        '': manifest,
        'packages/portico': { version: '0.1.0' },
        'node_modules/pino': { version: '0.1.0' },
      },
    };
    expect(JSON.parse(withVersion(JSON.stringify(lock), '0.2.0'))).toEqual({
      version: '0.2.0',
      packages: {
        '': service,
        'packages/portico': { version: '0.2.0' },
        'node_modules/pino': { version: '0.1.0' },
      },
    });
  });
});
