import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Call, callsOfRequest, countCalls } from '../../scripts/house/calls.js';
import { countSources, readSource } from '../../scripts/house/count-source.js';

describe('the lines of a source file', () => {
  const text = [
    '/** What it does. */',
    'import { a,', // Two lines of one import.
    "  b } from './a.js'; // both",
    '',
    "export type { C } from './c.js';",
    `  // ${'long '.repeat(30)}`,
    'export const text = `first',
    '',
    "// not a comment`; const later = () => import('./later.js');",
    "type D = import('./d.js').D;",
    '',
  ].join('\n');

  it('count as code where they hold more than a comment or white space', () => {
    expect(readSource('x.ts', text)).toMatchObject({ lines: 10, codeLines: 7, importLines: 2 });
  });

  it('count as long comments where a comment alone passes 118 characters', () => {
    expect(readSource('x.ts', text).longComments).toBe(1);
    expect(readSource('x.ts', `const a = '${'long '.repeat(30)}'; // short`).longComments).toBe(0);
  });

  it('give every kind of import', () => {
    expect(readSource('x.ts', text).specifiers).toEqual(['./a.js', './c.js', './later.js', './d.js']);
  });
});

describe('the figures of a checkout', () => {
  const manifest = JSON.stringify({
    name: 'portico',
    exports: { './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' } },
  });
  let root: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'house-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('take the service and the library together, without declarations and scripts of the page', () => {
    write('src/main.ts', "import { connect } from 'portico/client';\nimport './app/app.js';\n\nconnect();\n");
    write('src/app/app.ts', "import { connect } from 'portico/client';\nconnect();\n");
    write('src/app/types.d.ts', 'declare const x: 1;\n');
    write('src/console/page/page.js', 'run();\n');
    write('packages/portico/package.json', manifest);
    write('packages/portico/src/client/index.ts', "export { connect } from './connect.js';\n");
    write('packages/portico/src/client/connect.ts', `${'// long\n'.repeat(219)}export const connect = 1;\n`);
    expect(countSources(root)).toMatchObject({
      files: 4,
      folders: 3,
      pageScripts: 1,
      codeLines: 3 + 2 + 1 + 1,
      importLines: 3,
      medianLines: 4,
      longest: { path: 'packages/portico/src/client/connect.ts', lines: 220 },
      smallFiles: 3,
      // The application and the connection; the connection is too long, and the door has two importers.
      withOneImporter: 2,
      mergeable: 1,
    });
  });

  it('name the longest ADR, and names that not every system can check out', () => {
    write('docs/adr/0001-short.md', 'One two.\n');
    write('docs/adr/0002-long.md', '# Long\n\nOne two three.\n');
    write('here known | the platform', '');
    write('.env.example', '');
    expect(countSources(root)).toMatchObject({
      adrs: 2,
      longestAdr: { path: 'docs/adr/0002-long.md', words: 5 },
      strayNames: ['here known | the platform'],
    });
  });
});

describe('the calls of a request', () => {
  const call = (url: string, name: string, count: number, offset = 0): Call => ({ url, name, count, offset });

  it('are the median of its windows less what runs without it', () => {
    const windows = [
      [call('a', 'read', 3), call('t', 'tick', 2)],
      [call('a', 'read', 3), call('t', 'tick', 2), call('a', 'rare', 1)],
      [call('a', 'read', 9), call('t', 'tick', 1)],
    ];
    expect(callsOfRequest(windows, [[call('t', 'tick', 2)], [call('t', 'tick', 2)]])).toEqual([
      call('a', 'read', 3),
    ]);
  });

  it('tell functions of one name apart by where they start', () => {
    expect(callsOfRequest([[call('a', 'read', 2, 1), call('a', 'read', 3, 2)]], [])).toHaveLength(2);
  });

  it('count in our own files only, with and without callbacks that have no name', () => {
    const calls = [call('own/a/x', 'read', 2), call('own/b/y', '', 3), call('library', 'parse', 100)];
    const own = (url: string) => (url.startsWith('own/') ? url : undefined);
    expect(countCalls(calls, own)).toEqual({
      files: 2,
      folders: 2,
      calls: 5,
      namedCalls: 2,
      callsByFile: { 'own/a/x': 2, 'own/b/y': 3 },
    });
  });
});
