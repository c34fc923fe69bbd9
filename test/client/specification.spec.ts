import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { testTitles } from '../support/test-titles.js';

/** The rows of the specification's tables, as docs/client.md must name them. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  Operations: [
    '`request`',
    '`postLogin`, `login`',
    '`postLogout`, `logout`',
    '`delegate`',
    '`putSessions`, `extendSession`',
    '`getSessions`, `getSessionInfo`',
    '`getSessionsUserInfo`, `getUserInfo`',
    '`getProjects`',
    '`loadProjects`',
    '`getProjectId`',
    '`hasSession`',
    '`destroyAuthToken`',
    '`toDict`, `dict`, `json`',
    '`fromDict`',
    '`updateFromJson`',
    '`close`',
    'context-managed session',
  ],
  Resources: [
    'authentication token',
    'captured `X-SVC…` headers',
    'cookies',
    'validity',
    'login request body',
    'delegate request body',
    'user information, session status',
    'project',
    'session snapshot',
    'error record',
  ],
  'States and transitions': [
    'no token, `POST auth/login`, 204',
    'no token, `POST auth/delegate`, 204',
    'no token, login or delegate, other than 204',
    'token held, `POST auth/logout`, 204',
    'token held, `PUT sessions`',
    'token held, `ERR009`',
  ],
  Endpoints: [
    '`POST auth/login`',
    '`POST auth/logout`',
    '`POST auth/delegate`',
    '`PUT sessions`',
    '`GET sessions`',
    '`GET sessions/userInfo`',
    '`GET projects`',
    'request header `X-SVC-AuthToken`',
    'request header `X-SVC-ProjectID`',
  ],
  Errors: [
    '`ERR003`',
    '`ERR002`, `ERR0013`',
    '`ERR004`',
    '`ERR005`, `ERR006`, `ERR007`',
    '`ERR009`',
    '`ERR0014`, `ERR0017`',
    '`ERR0015`',
    'any other code',
    'no recognised code',
    'execution cancelled',
    'rule 1: login or delegate other than 204',
    'rule 2: `iserver_code`',
    'rule 3: `N/A`',
    'rule 4: client-side failures',
  ],
  Limits: ['maximum redirects followed', 'TLS certificate verification'],
};

interface Row {
  readonly name: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const DOCS = readFileSync('docs/client.md', 'utf8');

/** Test files by the short names that the table calls them. */
const FILES = new Map(
  [...DOCS.matchAll(/^\[(\w+)\]: \.\.\/(\S+)$/gm)].map(([, name = '', file = '']) => [name, file]),
);

/** Rows of the table below a heading of docs/client.md. */
function rowsOf(heading: string): Row[] {
  const [, section = ''] = DOCS.split(`\n### ${heading}\n`);
  const [table = ''] = section.split('\n### ');
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [, name = '', cell = ''] = line.split('|').map((part) => part.trim());
      const named = [...cell.matchAll(/\[(\w+)\] “([^”]+)”/g)];
      return {
        name,
        tests: named.map(([, file = '', title = '']) => ({ file: FILES.get(file) ?? '', title })),
      };
    });
}

describe('the table of the specification in docs/client.md', () => {
  it.each(Object.entries(ROWS))('has every row of %s', (heading, rows) => {
    expect(rowsOf(heading).map(({ name }) => name)).toEqual(rows);
  });

  it.each(Object.keys(ROWS))('names a test that exists for every row of %s', (heading) => {
    const unshown = rowsOf(heading).filter(
      ({ tests }) =>
        tests.length === 0 || !tests.every(({ file, title }) => testTitles(file).includes(title)),
    );

    expect(unshown).toEqual([]);
  });
});
