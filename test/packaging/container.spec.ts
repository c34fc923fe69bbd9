import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSettings } from '../../src/config/parse-settings.js';
import { settingDescriptions } from '../../src/config/setting.js';
import { tempFolder } from '../support/temp-folder.js';
import { START } from '../support/app/run-service.js';
import { sessionKeysSetting } from '../support/session/session-keys.js';

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const SETTINGS = settingDescriptions().map(({ name }) => name);

interface Compose {
  readonly services: {
    readonly portico: {
      readonly environment: Readonly<Record<string, string>>;
      readonly secrets: readonly string[];
    };
    readonly redis: { readonly command: readonly string[]; readonly secrets: readonly string[] };
  };
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

describe('the container', () => {
  const dockerfile = text('Dockerfile');

  it('runs what `npm start` runs', () => {
    expect(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '')).toEqual(START);
  });

  it('is built of files that are there and that its build may see', () => {
    const seen = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(([, words = '']) =>
      words.split(' ').slice(0, -1),
    );

    expect(copied.length).toBeGreaterThan(5);
    for (const source of copied) expect(existsSync(new URL(`../../${source}`, import.meta.url))).toBe(true);
    expect(copied.filter((source) => !seen.some((name) => `${source}/`.startsWith(`${name}/`)))).toEqual([]);
  });

  it('runs on a Node that the package accepts, as a user without rights', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);

    expect(new Set(images)).toEqual(new Set(['${NODE_IMAGE}']));
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-bookworm-slim$/m);
    expect(text('deploy/image/base.sh')).toMatch(/^image=docker.io\/library\/node:24-bookworm-slim$/m);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('names only settings that exist', () => {
    const line = /^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '';
    const names = line.split(' ').map((pair) => pair.split('=')[0]);

    expect(names).toContain('NODE_ENV');
    for (const name of names) expect(SETTINGS).toContain(name);
  });

  it('starts as compose.yaml says, once the platform is named and the keys are made', async () => {
    const { services, secrets } = parse(text('compose.yaml')) as Compose;
    const { environment } = services.portico;
    const folder = await tempFolder();
    const keys = `${folder.path}/session-keys`;
    await writeFile(keys, `${sessionKeysSetting()}\n`);
    const redisUrl = `${folder.path}/redis-url`;
    await writeFile(redisUrl, 'redis://:secret@redis:6379/0\n');
    const given: Record<string, string> = {
      PLATFORM_BASE_URL: 'https://analytics.example/api',
    };
    const filled = Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):([-?])(.*)\}/, (_all, variable: string, mode: string, otherwise: string) =>
        mode === '-' ? otherwise : (given[variable] ?? ''),
      ),
    ]);

    for (const name of Object.keys(environment)) expect(SETTINGS).toContain(name.replace(/_FILE$/, ''));
    // Compose stops where the file is not there; it makes none, so no host gets a key of its own.
    expect([...services.portico.secrets, ...services.redis.secrets].sort()).toEqual(
      Object.keys(secrets).sort(),
    );
    expect(environment.SESSION_KEYS_FILE).toBe('/run/secrets/session-keys');
    expect(environment.REDIS_URL_FILE).toBe('/run/secrets/redis-url');
    expect(
      parseSettings({
        NODE_ENV: 'production',
        ...Object.fromEntries(filled),
        SESSION_KEYS_FILE: keys,
        REDIS_URL_FILE: redisUrl,
      }),
    ).toMatchObject({
      SESSION_STORE: 'redis',
      REDIS_URL: 'redis://:secret@redis:6379/0',
      PLATFORM_HEADER_VENDOR: 'SVC',
    });
    await folder.remove();
  });
});
