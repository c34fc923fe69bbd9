/**
 * Writes what is generated from the code: schema.gql, subgraph.gql, docs/errors.md, docs/configuration.md,
 * docs/reference.md, .env.example,
 * packages/portico/src/errors/client-table.ts, examples/federation/supergraph.graphql, the drawing in
 * docs/architecture.md and the options in docs/nest.md.
 * With --check it writes nothing and fails if a file differs from what the code would make.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { composeSupergraph, USUAL_URLS } from '../examples/federation/compose.ts';
import { clientTable } from './client-table.js';
import { configurationPage, environmentExample, pageWithOptions } from './configuration.js';
import { referencePage } from './documentation.ts';
import { errorsPage } from './errors-page.js';
import { pageWithRooms } from './rooms-pages.js';
import { sdl } from './sdl.js';

const { schema, subgraph } = await sdl();
const files = {
  'schema.gql': schema,
  'subgraph.gql': subgraph,
  'docs/errors.md': errorsPage(),
  'packages/portico/src/errors/client-table.ts': clientTable(),
  'docs/configuration.md': configurationPage(),
  'docs/reference.md': referencePage(),
  '.env.example': environmentExample(),
  'docs/nest.md': await pageWithOptions('docs/nest.md'),
  'docs/architecture.md': await pageWithRooms('docs/architecture.md'),
  'examples/federation/supergraph.graphql': await composeSupergraph(USUAL_URLS, subgraph),
};

const check = process.argv.includes('--check');
const drifted = [];
for (const [path, text] of Object.entries(files)) {
  const url = new URL(`../${path}`, import.meta.url);
  if (!check) await writeFile(url, text);
  else if ((await readFile(url, 'utf8').catch(() => undefined)) !== text) drifted.push(path);
}
if (drifted.length > 0) {
  console.error(
    `These files are out of date: ${drifted.join(', ')}. Run npm run generate and commit the result.`,
  );
  process.exitCode = 1;
}
