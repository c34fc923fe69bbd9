import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { installPacked } from '../../packages/portico/test/support/packed-package.js';

interface Manifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const portico = manifest('.');
const service = manifest('packages/service');
const secretStores = manifest('tools/secret-stores');
/** Only the tests write what a collector reads. */
const { '@opentelemetry/otlp-transformer': _ofTests, ...telemetry } =
  manifest('tools/telemetry').dependencies;

/** The packages that the built files of some folders import. */
function importedBy(...folders: string[]): Set<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join('dist', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js') && !name.endsWith('.module.js') && !name.endsWith('.service.js'))
      .map((name) => join('dist', folder, name)),
  );
  const imports = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import |.* from |.*createRequire\(import\.meta\.url\)\()'([^.'][^']*)'\)?;$/gm,
    ),
  ]);
  const names = imports.map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  return new Set(names.filter((name) => !name.startsWith('node:')));
}

describe('the packages of the service', () => {
  it('are all of portico-service and optional to portico, which brings those of the client only', () => {
    const ofService = { ...service.dependencies, ...secretStores.dependencies, ...telemetry };
    const ranges = Object.entries(ofService).map(([name, version]) => [name, `^${version}`]);

    expect(portico.peerDependencies).toEqual(Object.fromEntries(ranges));
    expect(Object.keys(portico.peerDependenciesMeta).sort()).toEqual(
      Object.keys(portico.peerDependencies).sort(),
    );
    expect(Object.values(portico.peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
    expect(service.version).toBe(portico.version);
    expect(new Set(Object.keys(portico.dependencies))).toEqual(
      importedBy('client', 'credentials', 'embedded-platform'),
    );
  });

  it('are enough to run it from the tarball', async () => {
    const packed = await installPacked(Object.keys(service.dependencies));
    const program = `
      import { createApp } from 'portico';
      const app = await createApp({ SESSION_STORE_PATH: ':memory:', LOG_LEVEL: 'silent' });
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { status } = await fetch(await app.getUrl() + '/livez');
      const page = await fetch(await app.getUrl(), { headers: { accept: 'text/html' } });
      console.log(status, page.status);
      await app.close();`;
    const { stdout, stderr } = await runNode(['--input-type=module', '--eval', program], {
      cwd: packed.folder,
    });
    packed.remove();

    expect({ stdout, stderr }).toEqual({ stdout: '200 200\n', stderr: '' });
  });
});

describe('a checkout', () => {
  it('installs half of the packages that it had when it brought those of its tests and checks too', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: object };
    const installed = Object.keys(packages).filter((path) => path.startsWith('node_modules/'));

    expect(installed.length).toBeGreaterThan(100);
    expect(installed.length).toBeLessThan(1125 / 2);
  });
});
