import { afterAll, describe, expect, it } from 'vitest';
import { runNode } from '../../packages/portico/test/support/app/run-node.js';
import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';

const platform = await startPlatform();
afterAll(() => platform.close());

describe('examples/client-only.ts', () => {
  const printed = [
    'Logged in as Dana Demo.',
    expect.stringMatching(/^The id of ".+" is [0-9A-F]{32}\.$/),
    'The restored session ends after 1800 idle seconds.',
    'Logged out.',
    '',
  ];

  it.each([
    ['on its own', []],
    ['on a given platform', [platform.baseUrl]],
  ])('runs %s', async (_name, args) => {
    const { code, stdout, stderr } = await runNode(['examples/client-only.ts', ...args]);

    expect(stdout.split('\n')).toEqual(printed);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('says what is wrong with a login', async () => {
    const { code, stdout } = await runNode(['examples/client-only.ts', platform.baseUrl, 'locked']);

    expect(stdout).toMatch(/^The login failed: The account is locked.*\n$/);
    expect(code).toBe(1);
  });
});

describe('examples/managed-session.ts', () => {
  it.each([
    ['on its own', []],
    ['on a given platform', [platform.baseUrl, 'demo']],
  ])('runs %s', async (_name, args) => {
    const run = await runNode(['examples/managed-session.ts', ...args], {
      env: { PLATFORM_PASSWORD: 'demo' },
    });

    expect(run.stdout).toMatch(/^\d+ projects\.\nLogged in as Dana Demo\.\n$/);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });
});
