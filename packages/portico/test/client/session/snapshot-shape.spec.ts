import { describe, expect, it } from 'vitest';
import { Cookie } from 'tough-cookie';
import { SessionError } from '../../../src/client/index.js';
import { VendorHeaders } from '../../../src/client/connection/headers.js';
import { restoreState, snapshotBaseUrl } from '../../../src/client/session/session-restore.js';
import {
  readSnapshot,
  redacted,
  type RestorableSnapshot,
  type SnapshotCookie,
  toCookie,
  toSnapshotCookie,
} from '../../../src/client/session/session-snapshot.js';

const BASE = 'https://platform.example/api/';
const COOKIE: SnapshotCookie = {
  name: 's',
  value: '1',
  domain: 'platform.example',
  path: '/',
  hostOnly: true,
  secure: true,
  httpOnly: false,
};
const WHOLE = { base_url: BASE, cookies: [COOKIE], headers: { 'X-SVC-AuthToken': 'token-1' } };

describe('a cookie of a snapshot', () => {
  it('has every attribute, absent ones by their default', () => {
    expect(toSnapshotCookie(new Cookie({ key: 'a', value: 'b' }))).toStrictEqual({
      name: 'a',
      value: 'b',
      domain: '',
      path: '/',
      hostOnly: false,
      secure: false,
      httpOnly: false,
    });
  });

  it.each<Partial<SnapshotCookie>>([
    {},
    { hostOnly: false },
    { sameSite: 'lax', expires: '2030-01-01T00:00:00.000Z' },
    { httpOnly: true, secure: false, path: '/api' },
  ])('is the same after it was a cookie again: %j', (attributes) => {
    const saved = { ...COOKIE, ...attributes };
    const cookie = toCookie(saved);
    const made = toSnapshotCookie(cookie);

    expect(made).toStrictEqual({ ...saved, ...(saved.hostOnly && { domain: '', hostOnly: false }) });
    expect(cookie.domain).toBe(saved.hostOnly ? null : 'platform.example');
    expect(Object.hasOwn(made, 'sameSite')).toBe(attributes.sameSite !== undefined);
  });

  it('has no expiry that is no time', () => {
    expect(toSnapshotCookie(new Cookie({ expires: new Date(NaN) }))).not.toHaveProperty('expires');
  });
});

describe('the text of a snapshot', () => {
  it('is read as it was written, and what else is in it is left out', () => {
    expect(readSnapshot(JSON.stringify({ ...WHOLE, more: 1 }))).toStrictEqual(WHOLE);
    expect(readSnapshot({ ...WHOLE, cookies: { a: 'b' } })).toStrictEqual({ ...WHOLE, cookies: { a: 'b' } });
    const dated = [{ ...COOKIE, expires: '2030-01-01', sameSite: 'lax' }];
    expect(readSnapshot({ ...WHOLE, cookies: dated }).cookies).toEqual(dated);
  });

  it.each<[unknown, string]>([
    ['{', 'is not JSON'],
    ['[]', 'is not an object'],
    [undefined, 'is not an object'],
    [{ cookies: {}, headers: {} }, 'lacks "base_url"'],
    [{ base_url: BASE, headers: {} }, 'lacks "cookies"'],
    [{ base_url: BASE, cookies: {} }, 'lacks "headers"'],
    [Object.create(WHOLE), 'lacks "base_url"'],
    [{ ...WHOLE, base_url: 5 }, 'has a "base_url" that is not a string'],
    [{ ...WHOLE, headers: [] }, 'has "headers" that are not a map of strings'],
    [{ ...WHOLE, headers: { a: 5, b: 'c' } }, 'has "headers" that are not a map of strings'],
    [{ ...WHOLE, headers: 'a' }, 'has "headers" that are not a map of strings'],
    [{ ...WHOLE, cookies: { a: 5, b: 'c' } }, 'has "cookies" that are neither'],
    [{ ...WHOLE, cookies: null }, 'has "cookies" that are neither'],
    [{ ...WHOLE, cookies: [COOKIE, null] }, 'has "cookies" that are neither'],
    [{ ...WHOLE, cookies: ['a'] }, 'has "cookies" that are neither'],
  ])('is refused with what is wrong: %j', (source, problem) => {
    expect(() => readSnapshot(source)).toThrow(`The session snapshot ${problem}`);
    expect(() => readSnapshot(source)).toThrow(
      expect.objectContaining({ constructor: SessionError, kind: 'invalid-snapshot' }),
    );
  });

  it.each<[keyof SnapshotCookie, unknown]>([
    ['name', 5],
    ['value', undefined],
    ['domain', null],
    ['path', {}],
    ['hostOnly', 'true'],
    ['secure', undefined],
    ['httpOnly', 1],
    ['sameSite', 5],
    ['sameSite', null],
    ['expires', 5],
    ['expires', 'soon'],
  ])('is refused when the %s of a cookie is %j', (name, value) => {
    const source = { ...WHOLE, cookies: [{ ...COOKIE, [name]: value }] };

    expect(() => readSnapshot(source)).toThrow('neither a list of cookies nor a map of strings');
  });

  it('is only a label where it is shown', () => {
    const snapshot = redacted(WHOLE);

    expect(String(snapshot as unknown)).toBe('[SessionSnapshot]');
    expect([snapshot.cookies, snapshot.headers, snapshot.cookies[0]].map(String)).toEqual([
      '[cookies]',
      '[headers]',
      '[cookie s]',
    ]);
    expect(snapshot).not.toBe(WHOLE);
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(WHOLE);
    expect(Object.keys(snapshot.headers)).toEqual(['X-SVC-AuthToken']);
  });
});

describe('a snapshot that is restored', () => {
  const restore = (parts: Partial<RestorableSnapshot>, expected?: string) => {
    const url = expected === undefined ? undefined : new URL(expected);
    return restoreState({ ...WHOLE, ...parts }, url, new VendorHeaders('SVC'), () => 0);
  };

  it('has its base URL, its headers and its cookies', () => {
    const { baseUrl, headers, cookies } = restore({ base_url: 'https://platform.example/api' }, BASE);

    expect([baseUrl.href, headers, cookies.headerFor(new URL(BASE))]).toEqual([BASE, WHOLE.headers, 's=1']);
    expect(restore({ cookies: { a: 'b', c: 'd' } }).cookies.headerFor(new URL(BASE))).toBe('a=b; c=d');
    expect(() => restore({}, 'https://platform.example/')).toThrow('belongs to another base URL');
    expect(() => snapshotBaseUrl('platform')).toThrow('has an unusable base URL');
  });

  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ other: 'x' }, undefined],
    [{ 'x-svc-authTOKEN': 'a' }, undefined],
    [{ 'X-SVC-AuthToken': 'a', 'X-Other-AuthToken': 'b' }, undefined],
    [{ 'X-SVC-AuthToken': 'a b' }, 'has a malformed token'],
    [{ 'X-SVC-AuthToken': '' }, 'has a malformed token'],
    [{ 'X-SVC-AuthToken': 'a', 'x-svc-authtoken': 'b' }, 'has a malformed token'],
    [{ 'x-a-authtoken': 'a', other: 'x' }, 'has the token of another vendor'],
    [{ other: 'x', 'X-Other9-AuthToken': 'a' }, 'has the token of another vendor'],
    [{ 'my-x-other-authtoken': 'a', 'x-other-authtoken-2': 'b', 'x--authtoken': 'c' }, undefined],
  ])('has at most one token, of its own vendor: %j', (headers, problem) => {
    if (problem === undefined) expect(restore({ headers }).headers).toBe(headers);
    else expect(() => restore({ headers })).toThrow(problem);
  });

  it.each<[string, RestorableSnapshot['cookies']]>([
    ['of another host', [{ ...COOKIE, domain: 'other.example' }]],
    ['of another domain', [{ ...COOKIE, domain: 'other.example', hostOnly: false }]],
    ['that cannot be sent', [{ ...COOKIE, value: 'a\r\nb' }]],
    ['that cannot be sent, beside a good one', { good: '1', bad: 'a;b' }],
  ])('has no cookie %s', (_which, cookies) => {
    expect(() => restore({ cookies })).toThrow('has a cookie that cannot be restored');
  });
});
