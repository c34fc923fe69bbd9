import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { MetricsModule } from '../../../src/telemetry/metrics.module.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { metricsReader } from '../../support/metrics-reader.js';

const COUNT = 1200;
const PROJECTS = Array.from({ length: COUNT }, (_, n) => ({
  id: `id-${n}`,
  name: `Project ${String(n).padStart(4, '0')}`,
  status: n % 2,
}));
const TWINS = ['twin-1', 'twin-2'].map((id) => ({ id, name: 'Twin' }));
const NAMELESS = [{ id: 'nameless' }, { name: 'without id' }];

describe('projects by the page', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  let handle: string;
  const logged: string[] = [];
  beforeEach(() => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((message) => logged.push(String(message)));
  });
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'GET projects': { status: 200, body: [...PROJECTS, ...NAMELESS, ...TWINS] },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, METRICS_PORT: '0' });
    handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => app.close());

  it('gives every project once over pages of the largest size, each from one call to the platform', async () => {
    const names: string[] = [];
    let after: string | null = null;
    const before = platform.count('GET projects');
    for (let pages = 1; ; pages += 1) {
      const { data, errors } = await app.graphql(
        `query ($after: String) {
          a: projectsConnection(first: 500, after: $after, orderBy: NAME) { nodes { name } totalCount pageInfo { hasNextPage endCursor } }
          b: projectsConnection(first: 1) { edges { cursor node { id } } }
        }`,
        { handle, variables: { after } },
      );
      expect(errors).toBeUndefined();
      expect(data.b.edges).toHaveLength(1);
      expect(data.a.totalCount).toBe(COUNT + 2);
      names.push(...(data.a.nodes as { name: string }[]).map(({ name }) => name));
      expect(platform.count('GET projects')).toBe(before + pages);
      if (data.a.pageInfo.hasNextPage !== true) break;
      after = data.a.pageInfo.endCursor as string;
    }
    expect(names).toEqual([...PROJECTS, ...TWINS].map(({ name }) => name));
  });

  it.each([
    ['first: 501', 'first must be a whole number from 0 to 500'],
    ['first: -1', 'first must be a whole number from 0 to 500'],
    ['after: "nonsense"', 'after must be a cursor of projectsConnection'],
    [`after: "${'A'.repeat(2000)}"`, 'after must be a cursor of projectsConnection'],
    [`filter: { nameContains: "${'a'.repeat(300)}" }`, 'nameContains must have at most 256 characters'],
    ['orderBy: SIZE', undefined],
  ])('refuses %s before the platform is asked', async (args, message) => {
    const before = platform.count('GET projects');
    const { errors } = await app.graphql(`{ projectsConnection(${args}) { totalCount } }`, { handle });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    if (message !== undefined) expect(errors?.[0]?.message).toBe(message);
    expect(platform.count('GET projects')).toBe(before);
  });

  it('finds ids by names in one call, and fails only for a name that two projects have', async () => {
    const before = platform.count('GET projects');
    // Asked often enough to be compiled: that must not change it.
    for (let asked = 1; asked <= 12; asked += 1) {
      const { data, errors } = await app.graphql('query ($names: [String!]!) { projectIds(names: $names) }', {
        handle,
        variables: { names: ['Project 0003', 'unknown', 'Twin', 'Project 0001'] },
      });
      expect(data.projectIds).toEqual(['id-3', null, null, 'id-1']);
      expect(errors).toMatchObject([
        {
          path: ['projectIds', 2],
          extensions: { code: 'CONFLICT', reason: 'AMBIGUOUS_NAME', ids: ['twin-1', 'twin-2'] },
        },
      ]);
      expect(platform.count('GET projects')).toBe(before + asked);
    }
  });

  it('holds a limited number of errors, whatever the names: the lists that would have more are refused', async () => {
    const fields = Array.from({ length: 15 }, (_, n) => `a${n}: projectIds(names: $names)`).join(' ');
    const texts = new Set<number>();
    for (let asked = 1; asked <= 12; asked += 1) {
      const { data, errors, text } = await app.graphql(`query ($names: [String!]!) { ${fields} }`, {
        handle,
        variables: { names: Array(1000).fill('Twin') },
      });
      const kinds = (errors ?? []).map(({ extensions }) => String(extensions.reason));
      expect(kinds.filter((reason) => reason === 'AMBIGUOUS_NAME')).toHaveLength(1000);
      expect(kinds.filter((reason) => reason === 'ANSWER_TOO_LARGE')).toHaveLength(14);
      expect(Object.values(data).filter((list) => list === null)).toHaveLength(14);
      texts.add(text.length);
    }
    expect(texts.size).toBe(1);
  });

  it('leaves out what has no id or no name, counts it, and logs it once', async () => {
    const { data } = await app.graphql('{ projects { id } projectId(name: "Twin 3") }', { handle });
    expect(data.projects).toHaveLength(COUNT + 2);
    const metrics = metricsReader(app.app.get(MetricsModule).url ?? '');
    expect(await metrics.value('portico_projects_left_out_total')).toBe(
      NAMELESS.length * platform.count('GET projects'),
    );
    expect(platform.count('GET projects')).toBeGreaterThan(1);
    expect(logged.filter((message) => message.includes('left out'))).toHaveLength(1);
  });
});
