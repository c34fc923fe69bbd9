import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseKeyList } from '../../src/config/key-list.js';
import { type NodeRun, runNode } from '../../packages/portico/test/support/app/run-node.js';
import { type CommandRun, runCommandHere } from '../support/app/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

/** With less garbage collection, a command that loads the service takes a third less of the processor. */
const QUICK = { NODE_ENV: '', NODE_OPTIONS: '--max-semi-space-size=16' };
const built = (name: string): string => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

describe('the command', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeAll(async () => (folder = await tempFolder()));
  afterAll(() => folder.remove());

  const portico = (args: string[], env: Record<string, string> = {}, entry = 'cli.js'): Promise<NodeRun> =>
    runNode([built(entry), ...args], { cwd: folder.path, env: { ...QUICK, ...env } });

  it.each(['cli.js', 'main.js'])('prints help and version and starts nothing: %s', async (entry) => {
    expect(await portico(['--help'], {}, entry)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: portico /),
      stderr: '',
    });
    expect(await portico(['-v'], {}, entry)).toMatchObject({ code: 0, stdout: '0.2.0\n', stderr: '' });
  });

  it.each([
    [['doktor']],
    [['--nope']],
    [['check', 'twice']],
    [['check', '--id', 'x']],
    [['sessions']],
    [['sessions', 'drop']],
    [['--json']],
  ])('starts nothing by %j', async (args) => {
    const { code, stdout, stderr } = await portico(args, {}, 'main.js');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^portico: [^\n]+\n\nUsage: /);
  });

  it.each([
    [['key', '--id', '']],
    [['key', '--id', 'a b']],
    [['doctor', '--profile', 'one', '--username', 'two']],
    [['sessions', 'end']],
    [['sessions', 'list', '--account', 'a', '--id', '0123456789abcdef']],
    [['sessions', 'list', '--id', 'short']],
  ])('says what it cannot do with %j', async (args) => {
    const { code, stdout, stderr } = await runCommandHere(args, folder.path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^portico: [^\n]+\n$/);
  });

  it('makes keys that the settings take, none with the id of another', async () => {
    const made = await Promise.all([portico(['key']), portico(['key', '--id', 'mine'])]);
    const keys = made.map(({ stdout }) => parseKeyList(stdout.trim())?.[0]);
    expect(keys.map((key) => key?.key.length)).toEqual([32, 32]);
    expect(keys[0]?.kid).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{4}$/);
    expect(keys[1]?.kid).toBe('mine');
    expect((await portico(['profile-key'])).stdout).toMatch(
      /^profileKey: [\w-]{43}\nprofileKeySha256: [0-9a-f]{64}\n$/,
    );
  });

  it('checks settings and store, and reports the result by its exit code', async () => {
    const right = await runCommandHere(['check', '--json'], folder.path);
    expect(right.code).toBe(0);
    expect(JSON.parse(right.stdout)).toMatchObject({ ok: true });
    const wrong = await portico(['check'], { PORT: 'CANARY', SESSION_KEY: 'CANARY' });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^WRONG +settings +PORT must be /m);
    expect(wrong.stdout).toMatch(/^warning +settings +SESSION_KEY is not a setting/m);
    expect(wrong.stdout).not.toContain('CANARY');
  });

  it.each(['check', 'doctor'])('leaves nothing behind: %s', async (command) => {
    const own = await tempFolder();
    const run = await runNode([built('cli.js'), command], { cwd: own.path, env: QUICK });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('embedded can be written') });
    expect(await readdir(own.path)).toEqual([]);
    await own.remove();
  });

  it('checks files that no setting has to name: .env, the audit log, the keys next to the store', async () => {
    const own = await tempFolder();
    const check = (env: Record<string, string> = {}): Promise<CommandRun> =>
      runCommandHere(['check'], own.path, env);
    expect(await check({ AUDIT_LOG: own.path })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^WRONG +settings +AUDIT_LOG cannot be used: it is a folder$/m),
    });
    await writeFile(`${own.path}/sessions.db.keys`, 'CANARY');
    expect(await check({ SESSION_STORE_PATH: 'sessions.db' })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^WRONG +settings +SESSION_KEYS is not set, and sessions\.db\.keys holds no session keys [^\n]*\n$/,
      ),
    });
    await mkdir(`${own.path}/.env`);
    expect(await check()).toMatchObject({
      code: 1,
      stdout: 'WRONG    settings  .env must be a readable file (EISDIR)\n',
      stderr: '',
    });
    await own.remove();
  });
});
