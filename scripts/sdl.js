import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { graphql, Kind, parse, print, specifiedDirectives, visit } from 'graphql';
import { createApp } from '../dist/app/app.factory.js';

const BUILT_IN = new Set(specifiedDirectives.map(({ name }) => name));

/** The schema of the running service: as clients see it, and as the subgraph SDL for routers. */
export async function sdl() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-sdl-'));
  const app = await createApp({ SESSION_STORE_PATH: join(folder, 'sessions.db'), LOG_LEVEL: 'silent' });
  try {
    await app.init();
    const { schema } = app.get(GraphQLSchemaHost);
    const { data, errors } = await graphql({ schema, source: '{ _service { sdl } }' });
    if (errors) throw errors[0];
    const subgraph = data._service.sdl;
    return { schema: withoutFederation(subgraph), subgraph: `${subgraph.trim()}\n` };
  } finally {
    await app.close();
    await rm(folder, { recursive: true });
  }
}

/** Directives of federation go too: a schema that uses what it does not define loads nowhere. */
function withoutFederation(subgraph) {
  const document = visit(parse(subgraph), {
    SchemaDefinition: () => null,
    SchemaExtension: () => null,
    DirectiveDefinition: () => null,
    Directive: ({ name }) => (BUILT_IN.has(name.value) ? undefined : null),
    ObjectTypeExtension: { leave: ({ fields }) => (fields.length === 0 ? null : undefined) },
    enter: (node) => {
      const isDefinition = node.kind === Kind.FIELD_DEFINITION || node.kind.endsWith('TypeDefinition');
      return isDefinition && /^(_|federation__|link__)/.test(node.name.value) ? null : undefined;
    },
  });
  return `${print(document)}\n`;
}
