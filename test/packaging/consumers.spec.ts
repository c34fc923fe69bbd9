import { execFile } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { minifySync } from '@swc/core';
import { buildSchema } from 'graphql';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { startApp, type TestApp } from '../support/app/start-app.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';

const run = promisify(execFile);
const ROOT = process.cwd();
const CONSUMERS = join(ROOT, 'examples/consumers');
const CLIENTS = ['apollo-client', 'urql', 'graphql-request', 'codegen', 'gql-tada', 'relay'];

describe('schema.gql', () => {
  it('defines all that it uses', () => {
    const text = readFileSync(join(ROOT, 'schema.gql'), 'utf8');
    expect(buildSchema(text).getQueryType()?.getFields()).toHaveProperty('projectsConnection');
  });
});

describe('portico/errors', () => {
  it('takes less than 3 KB in a browser, and imports nothing but itself', () => {
    const files = ['index.js', 'client-table.js'].map((name) =>
      readFileSync(join(ROOT, 'dist/errors', name), 'utf8'),
    );
    const imports = files.flatMap((text) => [...text.matchAll(/from '(.*?)'/g)].map(([, from]) => from));
    expect([...new Set(imports)]).toEqual(['./client-table.js']);
    const minified = files.map((text) => minifySync(text, { module: true, mangle: true }).code);
    expect(Buffer.byteLength(minified.join(''))).toBeLessThan(3000);
  });
});

describe('clients of the field', () => {
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    const link = join(CONSUMERS, 'node_modules/portico');
    rmSync(link, { force: true });
    symlinkSync('../../..', link);
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
