/** Writes what the clients import from generated/: the work of codegen's client preset, Relay's compiler and gql.tada. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { GraphQLFileLoader } from '@graphql-tools/graphql-file-loader';
import { loadSchema } from '@graphql-tools/load';
import { buildSchema, parse, printSchema } from 'graphql';
import { PROJECT_PAGE } from './codegen/documents.ts';

const HERE = import.meta.dirname;
const SCHEMA = join(HERE, '../../schema.gql');

const schema = await loadSchema(SCHEMA, { loaders: [new GraphQLFileLoader()] });
buildSchema(printSchema(schema));

const sections = await preset.buildGeneratesSection({
  baseOutputDir: `${join(HERE, 'generated/codegen')}/`,
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents: [
    { location: join(HERE, 'codegen/documents.ts'), document: parse(PROJECT_PAGE), rawSDL: PROJECT_PAGE },
  ],
  config: {
    scalars: { DateTime: 'string', JSONObject: 'Record<string, unknown>' },
    enumType: 'string-literal',
    useTypeImports: true,
    importExtension: '.ts',
  },
  plugins: [],
  pluginMap: {},
  presetConfig: { fragmentMasking: false },
  profiler: { run: (work: () => unknown) => Promise.resolve(work()), collect: () => [] },
} as unknown as Parameters<typeof preset.buildGeneratesSection>[0]);
for (const section of sections) {
  mkdirSync(dirname(section.filename), { recursive: true });
  writeFileSync(section.filename, await codegen(section));
}

for (const [command, ...words] of [
  ['relay-compiler', 'relay.config.json'],
  ['gql-tada', 'generate-output'],
] as const) {
  mkdirSync(join(HERE, 'generated/relay'), { recursive: true });
  execFileSync(join(HERE, 'node_modules/.bin', command), words, { cwd: HERE, stdio: 'pipe' });
}
