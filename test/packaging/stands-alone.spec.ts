import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPacked, type PackedPackage } from '../support/packed-package.js';
import { runNode } from '../support/app/run-node.js';

/** All that the client may need at run time. */
const CLIENT_DEPENDENCIES = ['cockatiel', 'got', 'undici', 'tough-cookie', 'secure-json-parse'];

describe('the package as it is packed', () => {
  let packed: PackedPackage;
  beforeAll(() => {
    packed = installPacked([...CLIENT_DEPENDENCIES, '@types/node']);
  });
  afterAll(() => {
    packed.remove();
  });
  const run = (program: string) =>
    runNode(['--input-type=module', '--eval', program], { cwd: packed.folder });

  it('has no Nest to be found where it is tried', async () => {
    const { stdout } = await run(`import('@nestjs/common').catch((error) => console.log(error.code))`);

    expect(stdout.trim()).toBe('ERR_MODULE_NOT_FOUND');
  });

  it.each([
    ['portico/client', 'PlatformClient'],
    ['portico/embedded-platform', 'startEmbeddedPlatform'],
  ])('loads %s there', async (entry, name) => {
    const { code, stdout, stderr } = await run(
      `import { ${name} } from '${entry}'; console.log(typeof ${name})`,
    );

    expect({ code, stdout: stdout.trim(), stderr }).toEqual({ code: 0, stdout: 'function', stderr: '' });
  });

  it('lets the client use the embedded platform there', async () => {
    const { stdout } = await run(`
      import { withPlatformSession } from 'portico/client';
      import { startEmbeddedPlatform } from 'portico/embedded-platform';
      const { baseUrl, close } = await startEmbeddedPlatform();
      for (const transport of ['got', 'undici']) {
        const options = { baseUrl, transport, username: 'demo', password: 'demo' };
        console.log(await withPlatformSession(options, (session) => session.getUserInfo().then(({ fullName }) => fullName)));
      }
      await close();
    `);

    expect(stdout).toBe('Dana Demo\nDana Demo\n');
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for module %s, resolution %s', (module, moduleResolution) => {
    writeFileSync(
      join(packed.folder, 'program.ts'),
      `import { PlatformClient, SessionError, type Credential, type PlatformProject } from 'portico/client';
       import { startEmbeddedPlatform, type EmbeddedPlatform } from 'portico/embedded-platform';
       const platform: EmbeddedPlatform = await startEmbeddedPlatform();
       const projects: PlatformProject[] = await new PlatformClient({ baseUrl: platform.baseUrl }).openSession().getProjects();
       const credential: Credential = () => projects[0]?.id ?? String(new SessionError('x').status);
       // @ts-expect-error a client needs a base URL
       new PlatformClient({});
       export { credential };`,
    );
    writeFileSync(join(packed.folder, 'package.json'), '{"type":"module"}');
    const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    const options = [
      '--module',
      module,
      '--moduleResolution',
      moduleResolution,
      '--types',
      'node',
      '--target',
      'es2023',
    ];
    const flags = [...options, '--strict', '--noEmit', '--lib', 'es2023,esnext.disposable'];

    const check = () =>
      execFileSync(process.execPath, [tsc, ...flags, 'program.ts'], { cwd: packed.folder, encoding: 'utf8' });

    expect(check()).toBe('');
  });
});
