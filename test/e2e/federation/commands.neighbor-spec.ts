import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildASTSchema, type GraphQLObjectType, parse } from 'graphql';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import { installFolder } from '../../support/install-folder.js';
import { tempFolder } from '../../support/temp-folder.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MODULES = join(ROOT, 'tools/graph-commands/node_modules');
const SECRET = 'only-the-router-knows';
/** 390 MB that nothing else needs, so they come when this test first runs. */
const INSTALLING_MS = 600_000;
const RUNNING_MS = 60_000;
const run = promisify(execFile);
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** What stands for each package that `npx` would load. Rover is a binary: the one for Linux x64 is installed. */
const INSTALLED: Readonly<Record<string, string>> = {
  '@apollo/rover': '@apollo/rover-linux-x64/rover',
  wgc: '.bin/wgc',
  '@graphql-hive/cli': '.bin/hive',
};
const roverMissing =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : 'Rover is not installed for this system';

/** A command of the documentation as it is there, but with what is installed here in place of npx. */
async function documented(start: RegExp): Promise<string> {
  const line = (await read('docs/federation.md')).split('\n').find((each) => start.test(each)) ?? '';
  const [npx = '', name = '', version] = /npx (?:--package=)?(@?[^@\s]+)@([\d.]+)(?: hive)?/.exec(line) ?? [];
  const { dependencies, optionalDependencies } = JSON.parse(await read('tools/graph-commands/package.json'));
  const expected = dependencies[name] ?? optionalDependencies[`${name}-linux-x64`];
  expect({ name, version }).toEqual({ name, version: expected });
  return line.replace(npx, join(MODULES, INSTALLED[name] ?? ''));
}

describe('the commands of the documentation', () => {
  let portico: TestApp;
  let ratings: RunningSubgraph;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeAll(async () => {
    folder = await tempFolder();
    [portico, ratings] = await Promise.all([
      startApp({ FEDERATION_SECRET: SECRET }),
      startRatingsSubgraph(0),
      installFolder('tools/graph-commands'),
    ]);
  }, INSTALLING_MS);
  afterAll(async () => {
    await Promise.all([portico.close(), ratings.stop()]);
    await folder.remove();
  });
  const here = (text: string): string =>
    text.replaceAll('http://127.0.0.1:3000', portico.url).replaceAll('http://127.0.0.1:4001/', ratings.url);
  const inShell = (command: string, environment: Record<string, string> = {}): Promise<{ stdout: string }> =>
    run('sh', ['-c', here(command)], {
      cwd: folder.path,
      // Nothing that they do here needs a network beyond this machine.
      env: {
        PATH: process.env.PATH,
        HOME: folder.path,
        FEDERATION_SECRET: SECRET,
        APOLLO_TELEMETRY_DISABLED: 'true',
        APOLLO_ROVER_SKIP_UPDATE: 'true',
        DISABLE_UPDATE_CHECK: 'true',
        ...environment,
      },
    });
  const written = (name: string): Promise<string> => readFile(join(folder.path, name), 'utf8');

  (roverMissing === undefined ? it : it.skip)(
    `let Rover read the SDL from both subgraphs, by the secret alone (${roverMissing ?? 'Rover for Linux x64'})`,
    async () => {
      const introspect = await documented(/rover.*introspect.*3000/);
      await inShell(introspect);
      expect((await written('portico.graphql')).trim()).toBe((await read('subgraph.gql')).trim());
      await inShell(await documented(/rover.*introspect.*4001/));
      expect(await written('ratings.graphql')).toContain('topRated');
      await expect(inShell(introspect, { FEDERATION_SECRET: 'a guess that is wrong' })).rejects.toThrow(
        'No data field provided',
      );
    },
    RUNNING_MS,
  );

  it(
    'let Cosmo compose the configuration of its router',
    async () => {
      const graph = here(await read('examples/federation/cosmo-router/graph.yaml'));
      await writeFile(
        join(folder.path, 'graph.yaml'),
        graph.replace('../../../subgraph.gql', join(ROOT, 'subgraph.gql')),
      );
      await inShell(await documented(/wgc@/));
      const { engineConfig } = JSON.parse(await written('router.json'));
      expect(engineConfig.datasourceConfigurations).toHaveLength(2);
      const schema = buildASTSchema(parse(engineConfig.graphqlSchema), { assumeValidSDL: true });
      const project = (schema.getType('Project') as GraphQLObjectType).getFields();
      expect(String(project.name?.type)).toBe('String');
      expect(Object.keys(project)).toContain('rating');
    },
    RUNNING_MS,
  );

  it(
    'let Hive compose the supergraph',
    async () => {
      await writeFile(join(folder.path, 'portico.graphql'), await read('subgraph.gql'));
      const { data } = await fetch(ratings.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ _service { sdl } }"}',
      }).then((response) => response.json() as Promise<{ data: { _service: { sdl: string } } }>);
      await writeFile(join(folder.path, 'ratings.graphql'), data._service.sdl);
      await inShell(await documented(/hive dev/));
      const supergraph = await written('supergraph.graphql');
      expect(supergraph).toMatch(/PORTICO @join__graph\(name: "portico", url: "[^"]+\/graphql"\)/);
      expect(supergraph).toContain('rating: Float @join__field(graph: RATINGS)');
    },
    RUNNING_MS,
  );
});
