import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runService, stopServices } from '../support/app/run-service.js';
import { tempFolder } from '../support/temp-folder.js';

const BUNDLE = new URL('../../dist/bundle/', import.meta.url);
const text = readFileSync(new URL('service.js', BUNDLE), 'latin1');

/** The modules in it, by the comment that stands before each. */
const modules = [...text.matchAll(/^\/\/ (?:\.\.\/)*((?:node_modules|dist)\/\S+)$/gm)].map(
  ([, path = '']) => path,
);

describe('the bundle of the service', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(async () => {
    await stopServices();
    await folder.remove();
  });

  it('holds the code of the service, and each package that compares by identity once', () => {
    expect(modules).toContain('dist/app/serve.js');
    expect(
      modules.filter((path) => /node_modules\/graphql\/type\/definition\.m?js$/.test(path)),
    ).toHaveLength(1);
    expect(modules.filter((path) => path.endsWith('class-validator/cjs/index.js'))).toHaveLength(1);
    expect(modules.filter((path) => path.includes('class-validator/esm'))).toEqual([]);
  });

  it('is text that Node keeps in one byte a character', () => {
    expect(/[^\0-\x7f]/.test(text)).toBe(false);
  });

  it('is what starts, and leaves compiled code for the next start', async () => {
    const service = await runService(folder.path, {});
    expect((await service.graphql('{ hasSession }')).data).toEqual({ hasSession: false });
    const [version = ''] = await readdir(new URL('compiled/', BUNDLE));
    expect((await readdir(new URL(`compiled/${version}/`, BUNDLE))).length).toBeGreaterThan(0);
  });
});
