/**
 * How large the house is: files, folders, lines and importers, and what a login and a read call of it.
 *
 *   npm run house -- [--json] [--checkout <folder>]     the folder of another checkout, compiled
 *
 * The JSON also has the calls of each file.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type CallFigures } from './house/calls.ts';
import { countSources, type SourceFigures } from './house/count-source.ts';
import { measureRequests, type RequestFigures } from './house/measure-requests.ts';

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    json: { type: 'boolean', default: false },
  },
});
const checkout = resolve(values.checkout);
const source = countSources(checkout);
const requests = await measureRequests(checkout);
console.log(values.json ? JSON.stringify({ source, requests }, undefined, 2) : table(source, requests));

function table(figures: SourceFigures, { login, threeProjects, twelveProjects }: RequestFigures): string {
  const { longest, longestAdr, strayNames } = figures;
  const rows: readonly (readonly [string, string | number])[] = [
    ['source files (TypeScript)', figures.files],
    ["scripts of the console's page, not counted above or below", figures.pageScripts],
    ['folders with code', figures.folders],
    ['lines of code, without comments and blank lines', figures.codeLines],
    ['… of which imports', figures.importLines],
    ['median lines of a file', figures.medianLines],
    ['longest file, in lines', `${longest.lines} (${longest.path})`],
    ['files of 30 lines or less', figures.smallFiles],
    ['files with exactly one importer', figures.withOneImporter],
    ['… of which fit into it within 220 lines', figures.mergeable],
    ['comment lines over 118 characters', figures.longComments],
    ['ADRs', figures.adrs],
    ['longest ADR, in words', `${longestAdr.words} (${longestAdr.path})`],
    ['names in the root folder outside `[\\w@.-]`', strayNames.length],
    ['a login', callsText(login)],
    ['`{ projects { id name } }` of 3 projects', callsText(threeProjects)],
    ['… of 12 projects', callsText(twelveProjects)],
  ];
  return [
    '| what | figure |',
    '| --- | --- |',
    ...rows.map(([what, figure]) => `| ${what} | ${figure} |`),
  ].join('\n');
}

function callsText({ files, folders, calls, namedCalls }: CallFigures): string {
  return `${files} files, ${folders} folders, ${namedCalls} calls of named functions, ${calls} with callbacks`;
}
