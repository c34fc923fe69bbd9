import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app/start-app.js';
import { bearerHandle } from '../support/graphql/graphql-caller.js';
import { tempFolder } from '../support/temp-folder.js';
import {
  type StartedPlatform,
  startPlatform,
} from '../../packages/portico/test/support/embedded-platform/start-platform.js';

const password = 'demo';

describe('a front end that is tried against every failure', () => {
  let platform: StartedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startPlatform();
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(async () => {
    await app.close();
    await platform.close();
  });

  const extensionsOf = async (username: string, query: string): Promise<unknown> => {
    const handle = await bearerHandle(app.graphql, { username, password });
    const { errors } = await app.graphql(query, { handle });
    return errors?.[0]?.extensions;
  };

  it.each([
    ['expired-password', 'PASSWORD_EXPIRED'],
    ['locked', 'ACCOUNT_LOCKED'],
    ['disabled', 'ACCOUNT_DISABLED'],
  ])('sees why %s may not log in: %s', async (username, reason) => {
    const { errors } = await app.graphql(
      'mutation ($input: LoginInput!) { login(input: $input) { handle } }',
      {
        variables: { input: { username, password } },
      },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason,
      platformCode: 'ERR003',
      iserverCode: expect.stringMatching(/^-\d+$/),
      iserverMessage: expect.any(String),
      ticketId: expect.any(String),
    });
  });

  it("reads the operator's own words for a back-end code, over either transport", async () => {
    const folder = await tempFolder();
    const file = `${folder.path}/messages.json`;
    await writeFile(file, JSON.stringify({ '-2147216963': 'Call the help desk.' }));
    for (const PLATFORM_TRANSPORT of ['got', 'undici']) {
      const own = await startApp({
        PLATFORM_BASE_URL: platform.baseUrl,
        PLATFORM_TRANSPORT,
        ISERVER_MESSAGES_FILE: file,
      });
      const { errors } = await own.graphql(
        'mutation { login(input: {username: "expired-password", password: "demo"}) { handle } }',
      );
      expect(errors?.[0]?.extensions).toMatchObject({
        reason: 'PASSWORD_EXPIRED',
        iserverMessage: 'Call the help desk.',
      });
      await own.close();
    }
    await folder.remove();
  });

  it('sees a missing privilege', async () => {
    expect(await extensionsOf('no-privileges', '{ projects { id } }')).toMatchObject({
      code: 'FORBIDDEN',
      platformCode: 'ERR014',
      platformStatus: 403,
      ticketId: expect.any(String),
    });
  });

  it('sees that the platform allows no further session', async () => {
    const { errors } = await app.graphql(
      'mutation { login(input: {username: "server-full", password: "demo"}) { handle } }',
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'PLATFORM_ERROR',
      reason: 'SESSION_LIMIT',
      platformCode: 'ERR001',
    });
  });

  it('sees a session time out after five seconds, and is then asked to log in', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'short-session', password });
    platform.clock.advance(4_000);
    expect((await app.graphql('mutation { extend { expiresAt } }', { handle })).errors).toBeUndefined();
    platform.clock.advance(5_001);

    const expired = await app.graphql('{ me { id } }', { handle });
    expect(expired.errors?.[0]?.extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'SESSION_EXPIRED',
      platformCode: 'ERR009',
    });
    const after = await app.graphql('{ hasSession me { id } }', { handle });
    expect(after.data.hasSession).toBe(false);
    expect(after.errors?.[0]?.extensions).toMatchObject({ reason: 'NO_SESSION' });
  });

  it('may log out of a session that has timed out', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'short-session', password });
    platform.clock.advance(5_001);
    const { data } = await app.graphql('mutation { logout { loggedOut } }', { handle });
    expect(data.logout).toEqual({ loggedOut: true });
  });

  it('gets every answer of a slow platform two seconds late, and all the same', async () => {
    const before = platform.clock.now();
    const handle = await bearerHandle(app.graphql, { username: 'slow', password });
    const { data } = await app.graphql('{ me { fullName } }', { handle });
    expect(data.me.fullName).toEqual(expect.any(String));
    expect(platform.clock.now() - before).toBeGreaterThanOrEqual(4_000);
  });

  it('does not notice one answer without JSON among three, because a read is tried again', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'flaky', password });
    for (let call = 0; call < 4; call += 1) {
      const { data, errors } = await app.graphql('{ me { fullName } }', { handle });
      expect(errors).toBeUndefined();
      expect(data.me.fullName).toEqual(expect.any(String));
    }
  });

  it('sees that the server behind the platform is down', async () => {
    expect(await extensionsOf('backend-down', '{ projects { id } }')).toMatchObject({
      code: 'BACKEND_ERROR',
      platformCode: 'ERR0013',
    });
  });

  it('gets five thousand projects', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'many-projects', password });
    const { data } = await app.graphql('{ projects { id name } }', { handle });
    expect(data.projects).toHaveLength(5_000);
  });

  it('is told the ids when two projects have one name', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'twin-projects', password });
    const { data } = await app.graphql('{ projects { id name } }', { handle });
    const projects = data.projects as { id: string; name: string }[];
    const twins = projects.filter(({ name }) => projects.filter((other) => other.name === name).length === 2);
    expect(twins).toHaveLength(2);

    const lookUp = await app.graphql('query ($name: String!) { projectId(name: $name) }', {
      handle,
      variables: { name: twins[0]?.name },
    });
    expect(lookUp.data).toEqual({ projectId: null });
    expect(lookUp.errors?.[0]?.extensions).toMatchObject({
      code: 'CONFLICT',
      reason: 'AMBIGUOUS_NAME',
      retryable: false,
      ids: twins.map(({ id }) => id),
    });
    for (const { id } of twins) expect(lookUp.errors?.[0]?.message).toContain(id);
  });
});
