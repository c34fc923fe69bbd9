import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from 'esbuild';
import { buildSchema } from 'graphql';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { startApp, type TestApp } from '../support/app/start-app.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { installFolder } from '../support/install-folder.js';

const run = promisify(execFile);
const ROOT = process.cwd();
const CONSUMERS = join(ROOT, 'examples/consumers');
await installFolder('examples/consumers');
const CLIENTS = ['apollo-client', 'urql', 'graphql-request', 'codegen', 'gql-tada', 'relay'];

describe('schema.gql', () => {
  it('defines all that it uses', () => {
    const text = readFileSync(join(ROOT, 'schema.gql'), 'utf8');
    expect(buildSchema(text).getQueryType()?.getFields()).toHaveProperty('projectsConnection');
  });
});

describe('portico/errors', () => {
  it('takes less than 3 KB in a page, and brings no text of the tables', async () => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: "import { porticoErrors } from 'portico/errors'; console.log(porticoErrors);",
        resolveDir: ROOT,
      },
      // As in a project of its own: tsconfig.json leads to the library's source.
      tsconfigRaw: '{}',
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true,
    });
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [basename(path)] : [],
      ),
    );

    expect(used.sort()).toEqual(['<stdin>', 'client-table.js', 'index.js']);
    expect(outputFiles[0]?.contents.length).toBeLessThan(3000);
  });
});

describe('clients of the field', () => {
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    const [generated] = await Promise.all([runNode([join(CONSUMERS, 'generate.ts')]), start()]);
    expect(generated).toMatchObject({ code: 0 });
  }, 60_000);
  afterAll(() => app.close());

  async function start(): Promise<void> {
    app = await startApp();
    handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
  }

  it('compile against the schema and the errors', async () => {
    const { stdout } = await run(process.execPath, [
      'node_modules/typescript/bin/tsc',
      '-p',
      CONSUMERS,
    ]).catch((failed: unknown) => failed as { stdout: string });
    expect(stdout).toBe('');
  }, 60_000);

  it.each(CLIENTS)('read projects and the reason of an error by %s', async (client) => {
    const { code, stdout, stderr } = await runNode([join(CONSUMERS, `clients/${client}.ts`)], {
      env: { PORTICO_URL: app.url, PORTICO_HANDLE: handle },
    });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      names: ['Customer Insight', 'Finance and Planning'],
      code: 'UNAUTHENTICATED',
      reason: 'NO_SESSION',
      hasRequestId: true,
    });
  });
});
