import { rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { type TinyDisk, tinyDisk, tinyDiskMissing } from '../../support/session/tiny-disk.js';
import { startUserPlatform, type UserPlatform } from '../../support/embedded-platform/user-platform.js';

const LOGIN = 'mutation { login(input: {username: "bob", transport: BEARER}) { handle } }';
const suite = tinyDiskMissing === undefined ? describe : describe.skip;

suite(`an embedded store whose disk is full (${tinyDiskMissing ?? 'a tmpfs of one megabyte'})`, () => {
  let disk: TinyDisk;
  let platform: UserPlatform;
  let app: TestApp;
  beforeEach(async () => {
    disk = tinyDisk();
    platform = await startUserPlatform();
    app = await startApp({
      SESSION_STORE_PATH: `${disk.path}/sessions.db`,
      PLATFORM_BASE_URL: platform.baseUrl,
    });
  });
  afterEach(async () => {
    await app.close();
    await platform.close();
    await disk.unmount();
  });

  it('refuses logins, keeps reading, corrupts nothing, and accepts logins again when there is space', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'alice' });
    await writeFile(`${disk.path}/filler`, Buffer.alloc(1024 * 1024)).catch(() => undefined);

    let answer = await app.graphql(LOGIN);
    // What room is left in the last pages of the file may still take a few.
    for (let n = 0; n < 200 && answer.status === 200; n += 1) answer = await app.graphql(LOGIN);
    expect(answer.status).toBe(503);
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    const open = platform.openSessions();
    expect((await app.graphql(LOGIN)).status).toBe(503);
    expect(platform.openSessions()).toBe(open);
    expect((await app.graphql('{ me { id } }', { handle })).data).toEqual({ me: { id: 'alice' } });

    await rm(`${disk.path}/filler`);
    const bob = await bearerHandle(app.graphql, { username: 'bob' });
    expect((await app.graphql('{ me { id } }', { handle: bob })).data).toEqual({ me: { id: 'bob' } });
    await app.close();
    const database = new DatabaseSync(`${disk.path}/sessions.db`);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });
});
