import { mkdir, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvFileError, readEnvironment, withVariables } from '../../src/config/environment.js';
import { SettingsModule } from '../../src/config/settings.module.js';
import { tempFolder } from '../support/temp-folder.js';

const VARIABLE = 'PORTICO_TEST_VARIABLE';

describe('the environment', () => {
  const workingDirectory = process.cwd();
  let folder: Awaited<ReturnType<typeof tempFolder>>;

  beforeEach(async () => {
    folder = await tempFolder();
    process.chdir(folder.path);
  });

  afterEach(async () => {
    process.chdir(workingDirectory);
    for (const name of [VARIABLE, 'FEDERATION_SECRET']) Reflect.deleteProperty(process.env, name);
    await folder.remove();
  });

  it('includes what .env adds, and writes none of it to the process', async () => {
    await writeFile('.env', `# a comment\n${VARIABLE}="from the file"\n`);

    expect(readEnvironment()[VARIABLE]).toBe('from the file');
    expect(process.env[VARIABLE]).toBeUndefined();
  });

  it('takes precedence over .env', async () => {
    process.env[VARIABLE] = 'from the process';
    await writeFile('.env', `${VARIABLE}=from the file\n`);

    expect(readEnvironment()[VARIABLE]).toBe('from the process');
  });

  it('says so in one line when there is a .env that cannot be read', async () => {
    await mkdir('.env');

    expect(() => readEnvironment()).toThrow(new EnvFileError('EISDIR'));
  });

  it('needs no .env', () => {
    expect(readEnvironment()).toEqual(process.env);
  });

  it('has variables for as long as something is made with them', () => {
    process.env[VARIABLE] = 'before';
    const added = `${VARIABLE}_2`;
    const both = { [VARIABLE]: 'meanwhile', [added]: 'meanwhile' };

    expect(withVariables(both, () => [process.env[VARIABLE], process.env[added]])).toEqual([
      'meanwhile',
      'meanwhile',
    ]);
    expect(process.env[VARIABLE]).toBe('before');
    expect(process.env).not.toHaveProperty(added);
  });

  it('is as it was also when nothing could be made', () => {
    expect(() =>
      withVariables({ [VARIABLE]: 'meanwhile' }, () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(process.env).not.toHaveProperty(VARIABLE);
  });

  it('loses its secrets to the settings, even if another setting is refused', async () => {
    process.env.FEDERATION_SECRET = 'canary-of-sixteen';
    const { settings } = await SettingsModule.read();
    expect(settings.FEDERATION_SECRET).toBe('canary-of-sixteen');
    expect(process.env).not.toHaveProperty('FEDERATION_SECRET');

    process.env.FEDERATION_SECRET = 'canary-of-sixteen';
    await writeFile('.env', 'PORT=none\n');
    await expect(SettingsModule.read()).rejects.toThrow(/PORT/);
    expect(process.env).not.toHaveProperty('FEDERATION_SECRET');
  });
});
