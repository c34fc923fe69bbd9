import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPacked, type PackedPackage } from '../support/packed-package.js';
import { runNode } from '../support/app/run-node.js';

/** npm packs and installs. */
const INSTALLING_MS = 300_000;

describe('portico/credentials as it is packed, without Nest and SDKs', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await installPacked(['packages/portico'], ['@types/node']);
  }, INSTALLING_MS);
  afterAll(() => {
    packed.remove();
  });

  it('has providers that the client accepts as credentials', async () => {
    const program = `
      import { withPlatformSession } from 'portico/client';
      import { env } from 'portico/credentials';
      import { startEmbeddedPlatform } from 'portico/embedded-platform';
      const { baseUrl, close } = await startEmbeddedPlatform();
      const apiKey = env({ name: 'KEY', environment: { KEY: 'demo-api-key' } });
      console.log(await withPlatformSession({ baseUrl, apiKey }, async (session) => session.hasSession()));
      await close();`;
    const { stdout, stderr } = await runNode(['--input-type=module', '--eval', program], {
      cwd: packed.folder,
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'true\n', stderr: '' });
  });

  it('names the package to install if a store needs one', async () => {
    const program = `
      import { secretsManager } from 'portico/credentials';
      await secretsManager({ secretId: 'portico' })().catch((error) => console.log(error.reason, error.message));`;
    const { stdout } = await runNode(['--input-type=module', '--eval', program], { cwd: packed.folder });
    expect(stdout).toMatch(/^MISSING_SDK .*npm install @aws-sdk\/client-secrets-manager\n$/);
  });

  it('has types', () => {
    const program = `
      import { type CredentialProvider } from 'portico/client';
      import { CredentialError, SecretManagerSecret, type SecretManagerParameters } from 'portico/credentials';
      const parameters: SecretManagerParameters = { project: 'example', secretId: 'portico' };
      const provider: CredentialProvider = new SecretManagerSecret(parameters).field('password');
      // @ts-expect-error a secret has a project
      new SecretManagerSecret({ secretId: 'portico' });
      export { CredentialError, provider };`;
    writeFileSync(join(packed.folder, 'program.ts'), program);
    const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    const flags = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict', '--noEmit'];
    const run = () =>
      execFileSync(process.execPath, [tsc, ...flags, '--lib', 'es2023,esnext.disposable', 'program.ts'], {
        cwd: packed.folder,
        encoding: 'utf8',
      });
    expect(run()).toBe('');
  });
});
