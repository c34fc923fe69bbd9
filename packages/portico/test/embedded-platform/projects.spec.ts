import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { expectRefusal } from './expect-refusal.js';
import { type HeldSession, jsonOf, statusOf, Wire } from './wire.js';

interface Project {
  id: string;
  name: string;
  status: number;
  dateCreated?: string;
  owner?: { id: string; name: string };
}

describe('the projects of the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  let session: HeldSession;
  let projects: Project[];
  beforeAll(async () => {
    platform = await startPlatform();
    wire = new Wire(platform.baseUrl);
    session = await wire.loginAs('demo');
    projects = await jsonOf<Project[]>(wire.call('GET projects', { session }));
  });
  afterAll(() => platform.close());

  const within = (projectId: string, operation = 'GET projects', by = session): Promise<Response> =>
    wire.call(operation, { session: by, headers: { 'X-SVC-ProjectID': projectId } });
  const idOf = (name: string): string => projects.find((project) => project.name === name)?.id ?? '';

  it('are a dozen, each with an id, a name and a status', () => {
    expect(projects).toHaveLength(12);
    expect(new Set(projects.map(({ id }) => id)).size).toBe(12);
    for (const project of projects) {
      expect(project).toMatchObject({
        id: expect.stringMatching(/^[0-9A-F]{32}$/),
        name: expect.stringMatching(/\S/),
        status: expect.any(Number),
      });
    }
  });

  it('write their dates with the offset +0000', () => {
    const dates = projects.flatMap(({ dateCreated }) => dateCreated ?? []);

    expect(dates.length).toBeGreaterThan(0);
    for (const date of dates) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
  });

  it('include some without owner or dates, and some that are not active', () => {
    expect(projects.filter(({ owner }) => !owner)).not.toHaveLength(0);
    expect(projects.filter(({ dateCreated }) => !dateCreated)).not.toHaveLength(0);
    expect(new Set(projects.map(({ status }) => Math.sign(status)))).toEqual(new Set([0, 1, -1]));
  });

  it('are the same after a restart', async () => {
    await using again = await startPlatform();
    const againWire = new Wire(again.baseUrl);
    const loggedIn = await againWire.loginAs('demo');

    expect(await jsonOf(againWire.call('GET projects', { session: loggedIn }))).toEqual(projects);
  });

  it('show only the fields that are asked for', async () => {
    expect(await jsonOf(wire.call('GET projects?fields=id,name', { session }))).toEqual(
      projects.map(({ id, name }) => ({ id, name })),
    );
  });

  it('are fewer for a guest', async () => {
    const guest = await wire.login({ loginMode: 8 });
    const visible = await jsonOf<Project[]>(wire.call('GET projects', { session: guest }));

    expect(visible).toHaveLength(3);
    expect(projects).toEqual(expect.arrayContaining(visible));
  });

  it('can be named by a call that is about one of them', async () => {
    expect(await statusOf(within(idOf('Retail Sales')))).toBe(200);
    expect(await statusOf(within(idOf('Retail Sales'), 'GET sessions'))).toBe(200);
  });

  it('are not named by an empty project header', async () => {
    expect(await statusOf(within(''))).toBe(200);
  });

  it('are not found by an unknown id', async () => {
    await expectRefusal(within('0'.repeat(32)), { status: 404, code: 'ERR004' });
  });

  it('cannot be used while they are not loaded, though they are listed', async () => {
    await expectRefusal(within(idOf('Legacy Warehouse')), {
      status: 404,
      code: 'ERR001',
      iServerCode: -2147209151,
    });
  });

  it('cannot be used by a guest who has no access', async () => {
    const guest = await wire.login({ loginMode: 8 });

    await expectRefusal(within(idOf('Human Resources'), 'GET projects', guest), {
      status: 403,
      code: 'ERR017',
      iServerCode: -2147214578,
    });
  });

  it('do not matter to a logout', async () => {
    const other = await wire.loginAs('demo');

    expect(await statusOf(within('0'.repeat(32), 'POST auth/logout', other))).toBe(204);
  });
});
