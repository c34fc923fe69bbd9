import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { graphql, Kind, parse, parseType, print, specifiedDirectives, visit } from 'graphql';
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
    return { schema: withoutFederation(subgraph, schema), subgraph: `${subgraph.trim()}\n` };
  } finally {
    await app.close();
    await rm(folder, { recursive: true });
  }
}

/**
 * Directives of federation go too: a schema that uses what it does not define loads nowhere. Types of fields are those of
 * the schema that runs: what may be null for routers never is for others.
 */
function withoutFederation(subgraph, schema) {
  const document = visit(parse(subgraph), {
    SchemaDefinition: () => null,
    SchemaExtension: () => null,
    DirectiveDefinition: () => null,
    Directive: ({ name }) => (BUILT_IN.has(name.value) ? undefined : null),
    ObjectTypeExtension: { leave: ({ fields }) => (fields.length === 0 ? null : undefined) },
    enter: (node, _key, _parent, _path, ancestors) => {
      const isField = node.kind === Kind.FIELD_DEFINITION;
      const isDefinition = isField || node.kind.endsWith('TypeDefinition');
      if (isDefinition && /^(_|federation__|link__)/.test(node.name.value)) return null;
      if (!isField) return undefined;
      const field = schema.getType(ancestors.at(-1).name.value)?.getFields()[node.name.value];
      return field && { ...node, type: parseType(String(field.type)) };
    },
  });
  return `${print(document)}\n`;
}
