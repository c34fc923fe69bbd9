import { describe, expect, it } from 'vitest';
import {
  isAuthPath,
  isLogout,
  isLoginPath,
  mayBeRepeated,
  operationOf,
  pathBelow,
  readBaseUrl,
  resolveBelow,
} from '../../../src/client/connection/paths.js';
import { InvalidRequestError } from '../../../src/client/index.js';

const BASE = readBaseUrl('https://platform.example/context/api');

describe('the base URL', () => {
  it.each([
    ['https://platform.example', 'https://platform.example/'],
    ['https://platform.example/api', 'https://platform.example/api/'],
    ['https://platform.example/api//', 'https://platform.example/api/'],
    [' http://PLATFORM.example:80/api/\n', 'http://platform.example/api/'],
    [new URL('https://platform.example/api'), 'https://platform.example/api/'],
  ])('%s is %s, with one slash at its end', (given, expected) => {
    expect(readBaseUrl(given).href).toBe(expected);
  });

  it.each<[unknown, string]>([
    [undefined, 'must be a string or a URL object'],
    [5, 'must be a string or a URL object'],
    ['', 'must be an absolute http or https URL'],
    ['/api', 'must be an absolute http or https URL'],
    ['platform.example/api', 'must be an absolute http or https URL'],
    ['ftp://platform.example', 'must be an absolute http or https URL'],
    ['https://user@platform.example', 'must not contain a user name or password'],
    ['https://:secret@platform.example', 'must not contain a user name or password'],
    ['https://platform.example/api?', 'must not contain a query or fragment'],
    ['https://platform.example/api#top', 'must not contain a query or fragment'],
    ['https://platform.example\\api', 'must not contain control characters or backslashes'],
    ['https://platform.example/a\npi', 'must not contain control characters or backslashes'],
  ])('cannot be %j', (given, problem) => {
    expect(() => readBaseUrl(given as string)).toThrow(TypeError);
    expect(() => readBaseUrl(given as string)).toThrow(`baseUrl ${problem}.`);
  });

  it('with a password is refused without quoting it', () => {
    expect(() => readBaseUrl('https://u:p4ssw0rd@platform.example')).not.toThrow('p4ssw0rd');
  });
});

describe('a path', () => {
  it.each([
    ['reports', 'reports'],
    ['/reports', 'reports'],
    ['', ''],
    ['a/../b', 'b'],
    ['reports?limit=1', 'reports?limit=1'],
    ['reports#part', 'reports'],
    ['reports/a:b', 'reports/a:b'],
    ['https://platform.example/context/api/reports', 'reports'],
  ])('%j is below the base as %j', (path, below) => {
    expect(resolveBelow(BASE, path).href).toBe(BASE.href + below);
  });

  it.each([
    '../admin',
    'a/../../admin',
    '%2e%2e/admin',
    '//other.example/api',
    '///other.example',
    'https://other.example/context/api/reports',
    'https://platform.example/context/apis',
    'https://platform.example/context/api',
    'mailto:a@b.example',
    '\\\\other.example',
    ' reports',
    'reports\t',
    'rep\norts',
    'a\\b',
  ])('%j would send the token out of the base, or be rewritten, and is refused', (path) => {
    expect(() => resolveBelow(BASE, path)).toThrow(InvalidRequestError);
  });

  it('that is no text is refused', () => {
    expect(() => resolveBelow(BASE, undefined as never)).toThrow('The path of a request must be a string');
  });

  it('below the base is given without the query', () => {
    expect(pathBelow(BASE, resolveBelow(BASE, '/sessions/userInfo?full=true'))).toBe('sessions/userInfo');
  });

  it.each([
    ['auth/login', true, true],
    ['/auth/login/', true, true],
    ['auth/delegate', true, true],
    ['auth/logout', true, false],
    ['auth/login/more', true, false],
    ['authors', false, false],
    ['reports/auth/login', false, false],
  ])('%s is one for authentication: %s, and one of a login: %s', (path, isAuth, isLogin) => {
    expect([isAuthPath(path), isLoginPath(path)]).toEqual([isAuth, isLogin]);
  });
});

describe('a request', () => {
  it.each([
    ['GET', 'reports', true],
    ['PUT', 'sessions', true],
    ['DELETE', 'reports/1', true],
    ['POST', 'auth/logout', true],
    ['POST', 'auth/login', false],
    ['POST', 'reports', false],
    ['PATCH', 'reports/1', false],
  ])('%s %s may be sent twice: %s', (method, path, expected) => {
    expect(mayBeRepeated(method, isLogout(method, path))).toBe(expected);
  });

  it.each([
    ['POST', 'auth/logout', true],
    ['POST', '//auth/logout/', true],
    ['GET', 'auth/logout', false],
    ['POST', 'my/auth/logout', false],
    ['POST', 'auth/logout/more', false],
  ])('%s %s ends a session: %s', (method, path, isEnd) => {
    expect(isLogout(method, path)).toBe(isEnd);
  });

  it('is the same operation whatever the id of its object is', () => {
    const [one, other] = ['0123456789ABCDEF0123456789abcdef', 'F'.repeat(32)];
    expect(operationOf('GET', `projects/${one}/reports/${other}`)).toBe('GET projects/:id/reports/:id');
    expect(operationOf('GET', 'sessions/userInfo')).toBe('GET sessions/userInfo');
    expect(operationOf('GET', one)).toBe('GET :id');
  });
});
