import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useConsole } from '../../support/console/console-fixture.js';
import { type ConsolePage } from '../../support/console/console-page.js';
import { describeInBrowser } from '../../support/console/in-browser.js';
import {
  type ProfilesFile,
  profilesFile,
} from '../../../packages/portico/test/support/credentials/profiles-file.js';
import { EmbeddedPlatform, type RunningPlatform } from '../../../src/platform/platform.module.js';
import { mintIdentityToken } from '../../support/embedded-platform/identity-token.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';

const PROFILE_KEY = 'the key of the nightly profile';
const PROFILES = `profiles:
  nightly:
    apiKey: { store: env, name: NIGHTLY_KEY }
    profileKeySha256: ${createHash('sha256').update(PROFILE_KEY).digest('hex')}
`;

describeInBrowser("the console's login form", () => {
  let profiles: ProfilesFile;
  let console: ConsolePage;
  beforeAll(async () => {
    profiles = await profilesFile(PROFILES);
  });
  const fixture = useConsole(() => ({
    CREDENTIALS_FILE: profiles.path,
    NIGHTLY_KEY: 'demo-api-key',
    // The page's own documents must have it too.
    FIELD_PREFIX: 'analytics',
    TYPE_PREFIX: 'Analytics',
  }));
  beforeAll(async () => {
    console = await fixture.open();
  });
  afterAll(() => profiles.remove());

  const logIn = async (way: string, given: Record<string, string>): Promise<void> => {
    await console.page.selectOption('#mode', way);
    for (const [name, value] of Object.entries(given)) await console.page.fill(`[name=${name}]`, value);
    await console.page.click('#login-form button[type=submit]');
  };

  it.each([
    ['a user name and a password', 'password', { username: 'demo', password: 'demo' }, 'Dana Demo'],
    ['the LDAP directory', 'ldap', { username: 'demo', password: 'demo' }, 'Dana Demo'],
    ['an API key', 'apiKey', { apiKey: 'demo-api-key' }, 'Dana Demo'],
    ['nothing', 'guest', {}, 'Guest'],
    ['a credential profile', 'profile', { profile: 'nightly', profileKey: PROFILE_KEY }, 'Dana Demo'],
  ])('logs in by %s', async (_title, way, given, name) => {
    await logIn(way, given);
    await console.says(`Logged in as ${name}`);
    expect(await console.page.textContent('#carried')).toContain('by a cookie');
    expect(await console.page.textContent('#carried')).toMatch(way === 'profile' ? /nightly/ : /^by/);
    await console.page.click('#logout');
    await console.says('Logged out');
  });

  it('logs in by an identity token', async () => {
    const { baseUrl: platform } = fixture.service.app.get<RunningPlatform>(EmbeddedPlatform);
    await logIn('identityToken', { identityToken: await mintIdentityToken(platform) });
    await console.says('Logged in as Dana Demo');
    await console.page.click('#logout');
    await console.says('Logged out');
  });

  it('says why a login failed, and what to do about it', async () => {
    const { page } = console;
    await logIn('password', { username: 'locked', password: 'demo' });
    await page.waitForSelector('#login-error:has-text("ACCOUNT_LOCKED")');
    await logIn('password', { username: 'demo', password: 'wrong' });
    await page.waitForSelector('#login-error:has-text("Login failed. Check the user name and the password")');
    await logIn('profile', { profile: 'nightly', profileKey: 'another' });
    await page.waitForSelector('#login-error:not(:empty)');
    expect(await page.getAttribute('#login-error', 'role')).toBe('alert');
  });

  it('lists every demo login, each with what it shows', async () => {
    const rows = await console.page.locator('#demo-list button').allTextContents();
    expect(rows).toHaveLength(15);
    expect(rows).toEqual(expect.arrayContaining([expect.stringContaining('5,000 projects')]));
    await console.page.click('#demo-list button:has(strong:text-is("API key"))');
    await console.says('Logged in as Dana Demo');
    await console.page.click('.graphiql-execute-button');
    await console.answers('Retail Sales');
  });

  it('keeps no secret in the browser, typed into the form or into the editor', async () => {
    const { page } = console;
    await page.click('#logout');
    await console.says('Logged out');
    await logIn('apiKey', { apiKey: 'demo-api-key' });
    await console.says('Logged in as Dana Demo');
    await console.run('{ analyticsMe { fullName } }');
    await console.answers('Dana');
    const stored = (): Promise<string> =>
      page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    await eventually(async () => (await stored()).includes('fullName'));
    await console.run(
      'mutation { analyticsLogin(input: {apiKey: "demo-api-key", transport: BEARER}) { handle } }',
    );
    await console.answers('handle');
    const handle = /"handle": "([^"]+)"/.exec((await page.textContent('.result-window')) ?? '')?.[1] ?? '';
    expect(handle).toHaveLength(43);
    await page.reload();
    await console.says('Logged in as');
    expect(await stored()).toContain('fullName');
    expect(await stored()).not.toContain('demo-api-key');
    expect(await stored()).not.toContain(handle);
  });
});
