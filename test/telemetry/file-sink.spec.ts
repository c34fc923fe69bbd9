import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSink } from '../../src/telemetry/audit.module.js';
import { problemsInAuditFile } from '../../src/app/problems-in-files.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { type TinyDisk, tinyDisk, tinyDiskMissing } from '../support/session/tiny-disk.js';
import { tempFolder } from '../support/temp-folder.js';

describe('the file of the audit log', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let reports: string[];
  let sink: FileSink | undefined;
  const open = async (at = path): Promise<FileSink> =>
    (sink = await FileSink.open(at, (message) => {
      reports.push(message);
    }));
  beforeEach(async () => {
    folder = await tempFolder();
    path = `${folder.path}/logs/audit.log`;
    reports = [];
  });
  afterEach(async () => {
    await sink?.close().catch(() => undefined);
    await folder.remove();
  });
  const text = (at = path): Promise<string> => readFile(at, 'utf8');

  it('is created for its owner only, and keeps its content', async () => {
    await (await open()).close();
    await writeFile(path, 'before\n');
    const again = await open();
    again.write('one\n');
    again.write('two\n');
    await again.close();

    expect(await text()).toBe('before\none\ntwo\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('cannot be a folder: that is found when it is opened', async () => {
    await mkdir(path, { recursive: true });

    await expect(open()).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('is found at once to be impossible where no folder can be made', async () => {
    await expect(open('/proc/nope/audit.log')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is checked beforehand, and nothing is created', async () => {
    await mkdir(path, { recursive: true });
    await writeFile(`${folder.path}/file`, '');
    const problemOf = async (AUDIT_LOG: string): Promise<string | undefined> =>
      (await problemsInAuditFile({ AUDIT_LOG }))[0];

    expect(await problemOf(path)).toBe('AUDIT_LOG cannot be used: it is a folder');
    expect(await problemOf(`${folder.path}/file/audit.log`)).toMatch(/a part of the path is a file/);
    for (const usable of ['stdout', 'off', `${folder.path}/file`, `${folder.path}/new/deep/audit.log`]) {
      expect(await problemOf(usable)).toBeUndefined();
    }
    expect(await readdir(folder.path)).toEqual(['file', 'logs']);
  });

  it('continues in a new file after a rotation, without losing or splitting a line', async () => {
    const rotated = await open();
    const lines = (from: string): string[] => Array.from({ length: 500 }, (_, n) => `${from} ${n}\n`);
    for (const line of lines('old')) rotated.write(line);
    await eventually(async () => (await text()) !== '');
    await rename(path, `${path}.1`);
    rotated.reopen();
    for (const line of lines('new')) rotated.write(line);
    await rotated.close();

    const whole = (await text(`${path}.1`)) + (await text());
    expect(whole).toBe([...lines('old'), ...lines('new')].join(''));
    expect(await text()).toContain('new 499\n');
  });

  it('keeps the old file if a new one cannot be opened, and reports it', async () => {
    const kept = await open();
    await rename(`${folder.path}/logs`, `${folder.path}/gone`);
    kept.reopen();
    kept.write('one\n');
    await eventually(() => reports.length === 1);
    expect(reports[0]).toMatch(/ENOENT/);

    await mkdir(`${folder.path}/logs`);
    await eventually(async () => (await text()) === 'one\n');
    expect(reports[1]).toBe('The audit log is written again; lines that were lost: 0');
  });

  (tinyDiskMissing === undefined ? describe : describe.skip)(
    `on a full disk (${tinyDiskMissing ?? 'a tmpfs of one megabyte'})`,
    () => {
      let disk: TinyDisk;
      beforeEach(() => {
        disk = tinyDisk();
      });
      afterEach(async () => {
        await sink?.close();
        sink = undefined;
        await disk.unmount();
      });

      it('waits for disk space with a bounded buffer, reports the failure and its end once each, and closes in time', async () => {
        const full = await open(`${disk.path}/audit.log`);
        await writeFile(`${disk.path}/filler`, Buffer.alloc(1024 * 1024)).catch(() => undefined);
        const line = `${'x'.repeat(1023)}\n`;
        for (let n = 0; n < 3000; n += 1) full.write(line);
        await eventually(() => reports.length === 1);
        expect(reports[0]).toMatch(/^The audit log cannot be written \(ENOSPC\)/);

        await rm(`${disk.path}/filler`);
        await eventually(() => reports.length === 2);
        const lost = Number(/lost: (\d+)$/.exec(reports[1] ?? '')?.[1]);
        expect(lost).toBeGreaterThan(1900);
        await full.close().catch(() => undefined);
        sink = undefined;
        const lines = (await text(`${disk.path}/audit.log`)).split('\n');
        expect(lines.slice(0, -1).every((kept) => kept.length === 1023)).toBe(true);
      });
    },
  );
});
