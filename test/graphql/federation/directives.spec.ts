import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { buildASTSchema, type GraphQLObjectType, parse, printSchema } from 'graphql';
import { SettingsError } from '../../../src/config/parse-settings.js';
import { COMPOSERS, type Subgraph } from '../../support/graphql/composers.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

let app: TestApp | undefined;
afterEach(() => app?.close());

async function subgraph(environment: Record<string, string> = {}): Promise<string> {
  app = await startApp(environment);
  return (await app.graphql('{ _service { sdl } }')).data._service.sdl as string;
}

async function problems(environment: Record<string, string>): Promise<readonly string[]> {
  const fault: unknown = await startApp(environment).then(
    (started) => started.close(),
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(SettingsError);
  return (fault as SettingsError).problems;
}

function fields(sdl: string | undefined, type: string): string[] {
  const graph = buildASTSchema(parse(sdl ?? ''), { assumeValid: true, assumeValidSDL: true });
  return Object.keys((graph.getType(type) as GraphQLObjectType).getFields());
}

describe('the tags of the subgraph', () => {
  it('are those of SUBGRAPH_TAGS, at types, fields and values, as many as are given', async () => {
    const sdl = await subgraph({
      FIELD_PREFIX: 'analytics',
      SUBGRAPH_TAGS:
        'Project=public,Project=partner, Project.raw=internal,Query.analyticsMe=team/a-1,SessionTransport.COOKIE=web,LoginInput.password=internal',
    });
    expect(sdl).toContain('type Project @key(fields: "id") @tag(name: "public") @tag(name: "partner") {');
    expect(sdl).toContain('raw: JSONObject @tag(name: "internal")');
    expect(sdl).toContain('analyticsMe: User @tag(name: "team/a-1")');
    expect(sdl).toContain('COOKIE @tag(name: "web")');
    expect(sdl).toMatch(/password: String @tag\(name: "internal"\)/);
    expect(sdl.match(/@tag\(name: "/g)).toHaveLength(6);
  });

  it('change nothing where none are set', async () => {
    const committed = await readFile(new URL('../../../subgraph.gql', import.meta.url), 'utf8');
    expect((await subgraph()).trim()).toBe(committed.trim());
  });

  it('stop the start where their names do not exist, each with its setting', async () => {
    expect(
      await problems({
        SUBGRAPH_TAGS: 'Project.nmae=public,Projekt=public,Project=public,_Service=x',
        SUBGRAPH_INACCESSIBLE: 'Project.name.first',
      }),
    ).toEqual([
      'SUBGRAPH_TAGS must be a comma-separated list such as Project=public,Project.raw=internal',
      'SUBGRAPH_INACCESSIBLE must be a comma-separated list such as Project.raw,User.raw',
    ]);
    expect(
      await problems({
        SUBGRAPH_TAGS: 'Project.nmae=public,Projekt=public,Project=public',
        SUBGRAPH_INACCESSIBLE: 'User.raw,Query.nobody',
      }),
    ).toEqual([
      'SUBGRAPH_TAGS names Project.nmae, which the subgraph does not have',
      'SUBGRAPH_TAGS names Projekt, which the subgraph does not have',
      'SUBGRAPH_INACCESSIBLE names Query.nobody, which the subgraph does not have',
    ]);
  });

  it('do not reach what runs: whoever asks Portico itself sees the whole of it', async () => {
    await subgraph({ SUBGRAPH_INACCESSIBLE: 'Project.raw' });
    const { data } = (await app?.graphql('{ __type(name: "Project") { fields { name } } }')) ?? {};
    expect(data.__type.fields).toContainEqual({ name: 'raw' });
  });
});

describe.each(COMPOSERS)('in %s', (_name, compose) => {
  const other: Subgraph = { name: 'other', sdl: 'type Query { other: String }' };

  it('what is inaccessible is no part of the API of the graph', async () => {
    const sdl = await subgraph({
      SUBGRAPH_TAGS: 'Project=public,Project.raw=internal',
      SUBGRAPH_INACCESSIBLE: 'Project.raw,User.raw',
    });
    const { schema, errors, supergraph } = compose([{ name: 'portico', sdl }, other]);
    expect(errors).toEqual([]);
    expect(fields(schema, 'Project')).toContain('name');
    expect(fields(schema, 'Project')).not.toContain('raw');
    expect(fields(schema, 'User')).not.toContain('raw');
    expect(supergraph).toContain('@tag(name: "internal")');
  });

  it('a list size makes it a subgraph with costs, of the version that has them', async () => {
    const sdl = await subgraph({ SUBGRAPH_LIST_SIZE: '250' });
    expect(sdl).toContain('federation/v2.9');
    expect(sdl.match(/\[Project!\] @listSize\(assumedSize: 250\)/g)).toHaveLength(2);
    expect(sdl).toContain('raw: JSONObject @cost(weight: 10)');
    expect(compose([{ name: 'portico', sdl }, other]).errors).toEqual([]);
  });
});

describe('the entity for routers', () => {
  let sdl: string;
  beforeAll(async () => {
    sdl = await subgraph({ FIELD_PREFIX: 'analytics' });
  });

  it('may lack all but its key; asked itself, Portico still promises what it gives', async () => {
    const project = (text: string): string =>
      /^type Project \{.*?^\}/ms.exec(text)?.[0].replaceAll(/""".*?"""\s*/gs, '') ?? '';
    const forRouters = printSchema(buildASTSchema(parse(sdl), { assumeValidSDL: true }));
    expect(project(forRouters).match(/\w+: [\w!]+!/g)).toEqual(['id: ID!']);
    expect(forRouters).toContain('hasSession: Boolean!'.replace('hasSession', 'analyticsHasSession'));
    const running = await startApp();
    const { data } = await running.graphql('{ __type(name: "Project") { fields { name type { kind } } } }');
    expect(data.__type.fields).toContainEqual({ name: 'name', type: { kind: 'NON_NULL' } });
    await running.close();
  });
});
