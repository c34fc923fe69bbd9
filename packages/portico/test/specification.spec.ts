import { describe, expect, it } from 'vitest';
import { testTitles } from './support/test-titles.js';

/** Test files by the short names that the table uses. */
const FILES = {
  login: 'packages/portico/test/client/session/login.spec.ts',
  operations: 'packages/portico/test/client/session/session-operations.spec.ts',
  snapshot: 'packages/portico/test/client/session/session-snapshot.spec.ts',
  managed: 'packages/portico/test/client/authenticated-session.spec.ts',
  errors: 'packages/portico/test/errors/errors.spec.ts',
  redirects: 'packages/portico/test/client/connection/redirects.spec.ts',
  transports: 'packages/portico/test/client/connection/transport-conformance.spec.ts',
  concurrency: 'packages/portico/test/client/session/concurrency.spec.ts',
  client: 'packages/portico/test/client/platform-client.spec.ts',
  limits: 'packages/portico/test/client/connection/limits.spec.ts',
  deadline: 'packages/portico/test/client/connection/deadline.spec.ts',
} as const;

/** A test that shows a row: `[file, title]`. */
type Shown = readonly [file: keyof typeof FILES, title: string];

/** The rows of the specification's tables, each with the tests that show it. */
const SPECIFICATION: Readonly<Record<string, Readonly<Record<string, readonly Shown[]>>>> = {
  Operations: {
    '`request`': [
      ['operations', 'sends no token when includeAuth is false'],
      ['operations', 'sends a project id with one call only'],
      ['operations', 'throws the class for the code of the response'],
    ],
    '`postLogin`, `login`': [['login', 'sends %j as %j']],
    '`postLogout`, `logout`': [
      ['operations', '%s is %s with the token and the cookie'],
      ['operations', 'drops the token on 204'],
    ],
    '`delegate`': [['login', 'sends mode -1 with the identity token, and no application type']],
    '`putSessions`, `extendSession`': [['operations', '%s is %s with the token and the cookie']],
    '`getSessions`, `getSessionInfo`': [['operations', '%s is %s with the token and the cookie']],
    '`getSessionsUserInfo`, `getUserInfo`': [['operations', '%s is %s with the token and the cookie']],
    '`getProjects`': [['operations', 'are listed as the platform returns them']],
    '`loadProjects`': [['operations', 'are found by name and by id after loading']],
    '`getProjectId`': [
      ['operations', 'are found by name and by id after loading'],
      ['operations', 'cannot be looked up before loading or after the session ended'],
      ['operations', 'with the same name are rejected with all their ids'],
    ],
    '`hasSession`': [['login', 'holds the token and the cookies after 204 and sends both with later calls']],
    '`destroyAuthToken`': [['operations', 'removes the token and does nothing when there is none']],
    '`toDict`, `dict`, `json`': [
      ['snapshot', 'contains exactly the base URL, the complete cookies, and the headers with the token'],
    ],
    '`fromDict`': [['snapshot', 'accepts a plain map of cookies and a token header in any letter case']],
    '`updateFromJson`': [
      ['snapshot', 'restores a session that continues where the other stopped'],
      ['snapshot', 'with %s is a session error and changes nothing'],
    ],
    '`close`': [
      ['operations', 'is rejected once the session object is closed'],
      ['transports', 'closes its sockets, and calls in flight fail'],
    ],
    'context-managed session': [
      ['managed', 'is logged in while it is used and logged out afterwards'],
      ['managed', 'resolves all five parameters when it is opened, not before'],
      ['managed', 'logs in by %s'],
    ],
  },
  Resources: {
    'authentication token': [
      ['login', 'holds the token and the cookies after 204 and sends both with later calls'],
      ['login', 'uses the configured vendor segment'],
    ],
    'captured `X-SVC…` headers': [
      ['limits', 'of later responses replace the held ones, within the limits'],
      [
        'limits',
        'other than the token are not sent back, and an identity token, which is for somebody else, is not kept',
      ],
    ],
    cookies: [['limits', 'are sent to their path only, and end by age or when the platform removes them']],
    validity: [['operations', '%s is refused without a token before any request']],
    'login request body': [['login', 'sends %j as %j']],
    'delegate request body': [['login', 'sends mode -1 with the identity token, and no application type']],
    'user information, session status': [
      ['operations', 'returns the session status and the user with unknown fields'],
    ],
    project: [
      ['operations', 'are listed as the platform returns them'],
      ['operations', 'that come as %s are a protocol error'],
    ],
    'session snapshot': [
      ['snapshot', 'contains exactly the base URL, the complete cookies, and the headers with the token'],
    ],
    'error record': [
      ['login', 'fails by the code of the response'],
      ['errors', 'that is unknown has no message'],
    ],
  },
  'States and transitions': {
    'no token, `POST auth/login`, 204': [
      ['login', 'holds the token and the cookies after 204 and sends both with later calls'],
    ],
    'no token, `POST auth/delegate`, 204': [
      ['login', 'sends mode -1 with the identity token, and no application type'],
    ],
    'no token, login or delegate, other than 204': [
      ['login', 'fails on %s and holds nothing'],
      ['redirects', 'of %s %s is never followed'],
    ],
    'token held, `POST auth/logout`, 204': [
      ['operations', 'drops the token on 204'],
      ['operations', 'is a failure on any other 2xx status, and keeps the token'],
    ],
    'token held, `PUT sessions`': [
      ['operations', '%s is %s with the token and the cookie'],
      ['concurrency', 'uses a token renewed by a successful response for later calls'],
    ],
    'token held, `ERR009`': [['operations', '%s throws a session error on ERR009 and changes nothing']],
  },
  Endpoints: {
    '`POST auth/login`': [['login', 'sends %j as %j']],
    '`POST auth/logout`': [['operations', '%s is %s with the token and the cookie']],
    '`POST auth/delegate`': [['login', 'sends mode -1 with the identity token, and no application type']],
    '`PUT sessions`': [['operations', '%s is %s with the token and the cookie']],
    '`GET sessions`': [['operations', '%s is %s with the token and the cookie']],
    '`GET sessions/userInfo`': [['operations', '%s is %s with the token and the cookie']],
    '`GET projects`': [['operations', '%s is %s with the token and the cookie']],
    'request header `X-SVC-AuthToken`': [['operations', 'sends no token when includeAuth is false']],
    'request header `X-SVC-ProjectID`': [
      ['operations', 'sends a project id with one call only'],
      ['operations', 'refuses the project id %j before any request'],
    ],
  },
  Errors: {
    '`ERR003`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR002`, `ERR0013`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR004`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR005`, `ERR006`, `ERR007`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR009`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR0014`, `ERR0017`': [['errors', '%s makes a %p and is kept as sent']],
    '`ERR0015`': [['errors', '%s makes a %p and is kept as sent']],
    'any other code': [['errors', '%s makes a %p and is kept as sent']],
    'no recognised code': [['errors', 'that %s makes an unknown error with code N/A']],
    'execution cancelled': [['deadline', 'ends immediately %s']],
    'rule 1: login or delegate other than 204': [['login', 'fails on %s and holds nothing']],
    'rule 2: `iserver_code`': [['errors', '%d is explained by a sentence and its constant name']],
    'rule 3: `N/A`': [['errors', 'that %s makes an unknown error with code N/A']],
    'rule 4: client-side failures': [
      ['operations', 'cannot be looked up before loading or after the session ended'],
      ['snapshot', 'with %s is a session error and changes nothing'],
    ],
  },
  Limits: {
    'maximum redirects followed': [
      ['redirects', 'may happen 30 times in a call, not 31'],
      ['redirects', 'may happen as often as configured: %d'],
    ],
    'TLS certificate verification': [
      ['client', 'verifies certificates as configured, by %s'],
      [
        'transports',
        'rejects unknown, expired and mismatched certificates, and accepts what its bundle or setting allows',
      ],
    ],
  },
};

describe("each row of the specification's tables", () => {
  it.each(Object.entries(SPECIFICATION))('is shown by a test that exists: %s', (_table, rows) => {
    const unshown = Object.entries(rows).filter(
      ([, shown]) =>
        shown.length === 0 || !shown.every(([file, title]) => testTitles(FILES[file]).includes(title)),
    );

    expect(unshown).toEqual([]);
  });
});
