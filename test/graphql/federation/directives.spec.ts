import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildASTSchema, type GraphQLObjectType, parse, printSchema } from 'graphql';
import { RATINGS_SDL } from '../../../examples/federation/ratings-subgraph.ts';
import { COMPOSERS, type Composition, type Subgraph } from '../../support/graphql/composers.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { tempFolder } from '../../support/temp-folder.js';

let app: TestApp | undefined;
afterEach(() => app?.close());

async function subgraph(environment: Record<string, string> = {}): Promise<string> {
  app = await startApp(environment);
  return (await app.graphql('{ _service { sdl } }')).data._service.sdl as string;
}

function fields(sdl: string | undefined, type: string): string[] {
  const graph = buildASTSchema(parse(sdl ?? ''), { assumeValid: true, assumeValidSDL: true });
  return Object.keys((graph.getType(type) as GraphQLObjectType).getFields());
}

const run = promisify(execFile);
const example = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/federation/${name}`, import.meta.url));

const made = new Map<string, Promise<string>>();

/** The subgraph with the directives of a graph, by the recipe of docs/federation.md; once for all composers. */
function withDirectives(directives: string, environment: Record<string, string> = {}): Promise<string> {
  const key = JSON.stringify([directives, environment]);
  const known = made.get(key) ?? addDirectives(directives, environment);
  made.set(key, known);
  return known;
}

async function addDirectives(directives: string, environment: Record<string, string>): Promise<string> {
  const folder = await tempFolder();
  try {
    const [from, added] = [join(folder.path, 'subgraph.graphql'), join(folder.path, 'directives.graphql')];
    await writeFile(from, await subgraph(environment));
    await writeFile(added, directives);
    return (await run(process.execPath, [example('add-directives.js'), from, added])).stdout;
  } finally {
    await folder.remove();
  }
}

describe('the subgraph', () => {
  it('has no directives but those of the federation that it needs', async () => {
    const committed = await readFile(new URL('../../../subgraph.gql', import.meta.url), 'utf8');
    const sdl = await subgraph();
    expect(sdl.trim()).toBe(committed.trim());
    expect(sdl).not.toMatch(/@(?:tag\(name: "|cost\(weight: \d|listSize\(assumedSize: \d)/);
  });
});

describe('the recipe for the next version', () => {
  const check = async (change: (sdl: string) => string): Promise<{ code: number; stdout: string }> => {
    const folder = await tempFolder();
    const sdl = await readFile(new URL('../../../subgraph.gql', import.meta.url), 'utf8');
    const paths = ['portico', 'next', 'ratings'].map((name) => join(folder.path, `${name}.graphql`));
    const texts = [sdl, change(sdl), RATINGS_SDL];
    await Promise.all(paths.map((path, index) => writeFile(path, texts[index] ?? '')));
    try {
      const { stdout } = await run(process.execPath, [example('check-next.js'), ...paths]);
      return { code: 0, stdout };
    } catch (failed) {
      return failed as { code: number; stdout: string };
    } finally {
      await folder.remove();
    }
  };

  it('lets pass what only adds something, and says so', async () => {
    const { code, stdout } = await check((sdl) =>
      sdl.replace('fullName: String', 'fullName: String\n  nickname: String'),
    );
    expect([code, stdout]).toEqual([0, "NON_BREAKING: Field 'nickname' was added to object type 'User'\n"]);
  });

  it('fails for a field that is gone, and for a graph that no longer composes', async () => {
    const gone = await check((sdl) => sdl.replace(/"""The display name."""\s+fullName: String\n/, ''));
    expect([gone.code, gone.stdout]).toEqual([
      1,
      expect.stringContaining("BREAKING: Field 'fullName' was removed from object type 'User'"),
    ]);
    const taken = await check((sdl) => `${sdl}\ntype Rating { score: Int! stars: String }`);
    expect([taken.code, taken.stdout]).toEqual([1, expect.stringContaining('NOT COMPOSED: ')]);
  });
});

describe.each(COMPOSERS)('the recipe for directives, composed by %s', (_name, compose) => {
  const other: Subgraph = { name: 'other', sdl: 'type Query { other: String }' };
  const composed = (sdl: string): Composition => compose([{ name: 'portico', sdl }, other]);

  it('gives tags, and takes what is inaccessible out of the API of the graph', async () => {
    const sdl = await withDirectives(await readFile(example('directives.graphql'), 'utf8'));
    const { schema, errors, supergraph } = composed(sdl);
    expect(errors).toEqual([]);
    expect(fields(schema, 'Project')).toContain('name');
    expect(fields(schema, 'Project')).not.toContain('raw');
    expect(supergraph).toContain('@tag(name: "internal")');
    expect(supergraph).toContain('@tag(name: "public")');
    expect(sdl).toContain('projects: [Project!] @listSize(assumedSize: 100)');
    expect(sdl).toContain('@cost(weight: 10)');
  });

  it('reaches inputs, values of enums and prefixed fields', async () => {
    const directives = `
      input LoginInput @tag(name: "web") { password: String @tag(name: "secret") }
      enum SessionTransport { COOKIE @tag(name: "browser") }
      type Query { analyticsMe: User @tag(name: "team/a-1") @cost(weight: 3) }`;
    const sdl = await withDirectives(directives, { FIELD_PREFIX: 'analytics' });
    const { errors, supergraph } = composed(sdl);
    expect(errors).toEqual([]);
    for (const tag of ['web', 'secret', 'browser', 'team/a-1']) {
      expect(supergraph).toContain(`@tag(name: "${tag}")`);
    }
  });

  it('is refused by the composer where it names a field with another type', async () => {
    const wrong = withDirectives('type Project { raw: Int @tag(name: "internal") }');
    await expect(wrong).rejects.toThrow('Unable to merge GraphQL type "Project"');
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
