import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installFolder } from '../../../../test/support/install-folder.js';
import { compile } from '../support/packed-package.js';
import { runNode } from '../support/app/run-node.js';

const page = readFileSync('docs/client-tasks.md', 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code ?? '');

/** A program that calls every recipe, on a platform that has what they ask for. */
const PROGRAM = `
  import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { PlatformClient } from 'portico/client';
  import { startEmbeddedPlatform } from 'portico/embedded-platform';
  import { withStoredSession } from './recipe-0.ts';
  import { finishedInstance } from './recipe-1.ts';
  import { exportPdf } from './recipe-2.ts';
  import { upload } from './recipe-3.ts';
  import { typedClient } from './typed-client.js';
  let polls = 0;
  await using platform = await startEmbeddedPlatform({
    routes: {
      'POST reports/{id}/instances': () => Response.json({ instanceId: 'I1' }, { status: 202 }),
      'GET reports/{id}/instances/{instance}': () =>
        (polls += 1) < 3 ? new Response(null, { status: 202 }) : Response.json({ rows: 7 }),
      'GET reports/{id}/pdf': (_request, { params }) => new Response('%PDF ' + params.id),
      'GET reports/{id}': (_request, { params }) => Response.json({ id: params.id, name: 'Sales' }),
      'POST files': async (request) => Response.json({ id: ((await request.formData()).get('file') as File).name }),
    },
  });
  await using client = new PlatformClient({ baseUrl: platform.baseUrl });
  const session = client.openSession();
  await session.login({ username: 'demo', password: 'demo' });
  const stored = new Map([['a', session.json()]]);
  const redis = {
    get: async (key: string) => stored.get(key) ?? null,
    set: async (key: string, value: string) => stored.set(key, value),
    del: async (key: string) => stored.delete(key),
  };
  const folder = mkdtempSync('recipes-');
  const file = join(folder, 'file');
  const users = await withStoredSession(client, redis, 'a', async (own) => (await own.getUserInfo()).fullName);
  const report = await finishedInstance(session, 'R1');
  await exportPdf(session, 'R 1', file);
  const pdf = readFileSync(file, 'utf8');
  writeFileSync(file, 'a,b');
  const uploaded = await upload(session, file);
  const { data } = await typedClient(session).GET('/reports/{reportId}', { params: { path: { reportId: 'R1' } } });
  platform.expireSessions();
  await withStoredSession(client, redis, 'a', (own) => own.getUserInfo()).catch(() => undefined);
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ users, report, pdf, uploaded, name: data?.name, stored: stored.size }));
`;

/** What a platform says of itself, in part. */
const OPENAPI = {
  openapi: '3.0.1',
  info: { title: 'Platform', version: '1' },
  paths: {
    '/reports/{reportId}': {
      get: {
        parameters: [{ name: 'reportId', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'The report',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
              },
            },
          },
        },
      },
    },
  },
};

describe('the recipes of docs/client-tasks.md', () => {
  const libraries = join(process.cwd(), 'examples/libraries');
  let folder = '';
  beforeAll(async () => {
    await installFolder('examples/libraries');
    folder = mkdtempSync(join(libraries, '.recipes-'));
    blocks('ts').forEach((code, nth) => {
      writeFileSync(join(folder, `recipe-${nth}.ts`), code);
    });
    writeFileSync(join(folder, 'typed-client.js'), blocks('js')[0] ?? '');
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(OPENAPI));
    const cli = join(libraries, 'node_modules/openapi-typescript/bin/cli.js');
    const made = await runNode([
      cli,
      join(folder, 'openapi.json'),
      '--output',
      join(folder, 'platform.d.ts'),
    ]);
    expect(made.code).toBe(0);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('compile, with the types that openapi-typescript makes', () => {
    const flags = 'allowImportingTsExtensions allowJs checkJs skipLibCheck ignoreConfig'.split(' ');
    const problems = compile(folder, PROGRAM, 'nodenext', 'nodenext', flags);
    const misspelled = compile(
      folder,
      PROGRAM.replace("GET('/reports/{", "GET('/raports/{"),
      'nodenext',
      'nodenext',
      flags,
    );

    expect(problems).toBe('');
    expect(misspelled).toContain('raports');
  });

  it('run', async () => {
    writeFileSync(join(folder, 'program.ts'), PROGRAM);

    const { stdout, stderr } = await runNode([join(folder, 'program.ts')], { cwd: folder });

    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      users: 'Dana Demo',
      report: { rows: 7 },
      pdf: '%PDF R 1',
      uploaded: 'data.csv',
      name: 'Sales',
      stored: 0,
    });
  });
});
