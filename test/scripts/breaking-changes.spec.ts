import { describe, expect, it } from 'vitest';
import { unnamedBreakingChanges } from '../../scripts/breaking-changes.ts';

const BEFORE = 'type Query { me: String, old(id: ID): String } type Project @key(fields: "id") { id: ID! }';
const changelog = (unreleased: string): string =>
  `# Changelog\n\n## Unreleased\n\n${unreleased}\n\n## 0.1.0\n\n- \`Query.old\` came.\n`;

describe('a change of the schema', () => {
  it('that takes a field away has to be named in the changelog', async () => {
    const after = BEFORE.replace(', old(id: ID): String', '');
    const unnamed = await unnamedBreakingChanges(BEFORE, after, changelog('- Nothing.'));
    expect(unnamed).toEqual([expect.stringContaining('Query.old')]);
    expect(await unnamedBreakingChanges(BEFORE, after, changelog('- Removed `Query.old`.'))).toEqual([]);
  });

  it('that requires more than before has to be named too', async () => {
    const after = BEFORE.replace('old(id: ID)', 'old(id: ID!)');
    expect(await unnamedBreakingChanges(BEFORE, after, changelog(''))).toHaveLength(1);
  });

  it('is found in the SDL that routers read, too, whose directives are not all defined', async () => {
    const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"]) ';
    const gone = `${link}${BEFORE.replace('me: String, ', '')}`;
    const unnamed = await unnamedBreakingChanges(`${link}${BEFORE}`, gone, changelog(''));
    expect(unnamed).toEqual([expect.stringContaining('Query.me')]);
  });

  it('that only adds something is free', async () => {
    const after = BEFORE.replace('me: String', 'me: String!, more: Int');
    expect(await unnamedBreakingChanges(BEFORE, after, changelog(''))).toEqual([]);
  });
});
