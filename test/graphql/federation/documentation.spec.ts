import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const example = (path: string): Promise<string> => read(`examples/federation/${path}`);

/** What an error may carry beside its message, by the page of errors. */
async function documentedExtensions(): Promise<string[]> {
  const [, table = ''] = (await read('docs/errors.md')).split('| extension |');
  const cells = table.split('\n\n')[0]?.match(/^\| `.*?\|/gm) ?? [];
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => String(name))).sort();
}

const FORWARDED = [
  'authorization',
  'cookie',
  'origin',
  'sec-fetch-site',
  'x-federation-secret',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
];

describe('the settings of routers', () => {
  it.each([
    'hive-gateway/gateway.config.ts',
    'apollo-router/router.yaml',
    'apollo-router/rhai/portico-headers.rhai',
    'cosmo-router/config.yaml',
    'cosmo-router/graph.yaml',
    'apollo-server/gateway.ts',
    'directives.graphql',
    'add-directives.js',
    'check-next.js',
  ])('are in the documentation as they are in %s', async (path) => {
    expect(await read('docs/federation.md')).toContain(`\n${(await example(path)).trim()}\n\`\`\`\n`);
  });

  it("let every extension of an error through Apollo Router, and Portico's headers in", async () => {
    const { include_subgraph_errors: errors, headers } = parse(await example('apollo-router/router.yaml'));
    const allowed = [
      ...errors.all.allow_extensions_keys,
      ...errors.subgraphs.portico.allow_extensions_keys,
    ] as string[];
    expect(allowed.sort()).toEqual(await documentedExtensions());
    const rules = headers.subgraphs.portico.request as Record<string, { named?: string; name?: string }>[];
    const names = rules.map(({ propagate, insert }) => propagate?.named ?? insert?.name);
    expect(names.sort()).toEqual(FORWARDED);
    expect(headers.all).toBeUndefined();
  });

  it('let listed pages alone ask with credentials', async () => {
    const apollo = parse(await example('apollo-router/router.yaml')).cors;
    const cosmo = parse(await example('cosmo-router/config.yaml')).cors;
    expect([apollo.allow_credentials, apollo.allow_any_origin]).toEqual([true, undefined]);
    expect([apollo.policies[0].origins, cosmo.allow_origins]).toEqual(
      Array(2).fill(['https://dashboard.example']),
    );
  });

  it("let every extension of an error through Cosmo Router, and Portico's headers in", async () => {
    const { subgraph_error_propagation: errors, headers } = parse(await example('cosmo-router/config.yaml'));
    const allowed = errors.allowed_extension_fields as string[];
    expect(allowed.sort()).toEqual(await documentedExtensions());
    const rules = headers.subgraphs.portico.request as { named?: string; name?: string }[];
    const names = rules.map(({ named, name }) => (named ?? name)?.toLowerCase());
    expect(names.sort()).toEqual(FORWARDED);
    expect(headers.all).toBeUndefined();
  });
});
