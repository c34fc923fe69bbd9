import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/client/index.js';
import {
  callerFields,
  hopHeaders,
  type HeadersInit,
  isFieldValue,
  ResponseHeaders,
  VendorHeaders,
} from '../../../src/client/connection/headers.js';
import { bytesBody, textBody } from '../../../src/client/session/request-body.js';

let names: VendorHeaders;
beforeEach(() => {
  names = new VendorHeaders('SVC');
});

describe('the headers of a response', () => {
  let headers: ResponseHeaders;
  beforeEach(() => {
    headers = new ResponseHeaders(['ETag', '"1"', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'Odd']);
  });

  it('keep their order and their spelling, and a name without a value is none', () => {
    expect(headers.fields).toEqual([
      ['ETag', '"1"'],
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
  });

  it('are found by a name in any letter case, with all of its values', () => {
    expect(headers.valuesOf('SET-cookie')).toEqual(['a=1', 'b=2']);
    expect(headers.valuesOf('etag')).toEqual(['"1"']);
    expect(headers.valuesOf('Odd')).toEqual([]);
  });

  it('are not changed by who changes a list of values', () => {
    headers.valuesOf('set-cookie').push('c=3');

    expect(headers.valuesOf('set-cookie')).toEqual(['a=1', 'b=2']);
  });

  it.each([
    ['a', 'a'],
    ['', ''],
    ['a b\tc', 'a b\tc'],
    [' a', 'a'],
    ['\ta', 'a'],
    ['a ', 'a'],
    ['a\t', 'a'],
    [' \t a b\t \t', 'a b'],
    [' ', ''],
    ['!a!', '!a!'],
    ['\u00a0a\u00a0', '\u00a0a\u00a0'],
  ])('have values without the space around them: %j is %j', (sent, value) => {
    expect(new ResponseHeaders(['x', sent]).valuesOf('x')).toEqual([value]);
  });

  it('show their names only, as JSON and by inspection', () => {
    expect(JSON.parse(JSON.stringify(headers))).toEqual(['ETag', 'Set-Cookie', 'set-cookie']);
    expect(inspect(headers)).toBe("ResponseHeaders [ 'ETag', 'Set-Cookie', 'set-cookie' ]");
  });
});

describe('a token or project id that can be sent', () => {
  it.each([
    ['a', true],
    ['!~', true],
    ['a'.repeat(256), true],
    ['a'.repeat(257), false],
    ['', false],
    [' a', false],
    ['a ', false],
    ['a\u007f', false],
    ['\u00e9', false],
    [5, false],
    [undefined, false],
    [['a'], false],
  ])('is a text of visible ASCII characters, at most 256: %j is %s', (value, isSendable) => {
    expect(isFieldValue(value)).toBe(isSendable);
  });
});

describe('the vendor of a deployment', () => {
  it.each(['A', '9', 'Svc1', 'a'.repeat(32)])('may be %s, as it is spelled in the headers', (vendor) => {
    const { authToken, projectId, identityToken } = new VendorHeaders(vendor);

    expect([authToken, projectId, identityToken]).toEqual([
      `X-${vendor}-AuthToken`,
      `X-${vendor}-ProjectID`,
      `X-${vendor}-IdentityToken`,
    ]);
  });

  it.each(['', 'a'.repeat(33), 'a-b', ' a', 'a ', 'a\n'])('is never %j', (vendor) => {
    expect(() => new VendorHeaders(vendor)).toThrow(TypeError);
  });

  it('owns the headers that begin with its prefix, in any letter case', () => {
    expect(names.owns('x-svc-total')).toBe(true);
    expect(names.owns('X-SVC-Total')).toBe(true);
    expect(names.owns('X-Other-Total')).toBe(false);
    expect(names.owns('a-x-svc-total')).toBe(false);
  });

  it.each([
    [['X-SVC-AuthToken', 'abc'], 'abc'],
    [['x-svc-authtoken', 'abc'], 'abc'],
    [['X-SVC-AuthToken', 'a', 'X-SVC-AuthToken', 'b'], undefined],
    [['X-SVC-AuthToken', 'a', 'X-SVC-AuthToken', 'a'], undefined],
    [['X-SVC-AuthToken', 'a b'], undefined],
    [['X-Other-AuthToken', 'abc'], undefined],
  ])('has its token in a response with exactly one: %j is %s', (raw, token) => {
    expect(names.tokenOf(new ResponseHeaders(raw))).toBe(token);
  });

  it.each([
    ['X-Other-AuthToken', true],
    ['x-other9-authtoken', true],
    [`X-${'a'.repeat(32)}-AuthToken`, true],
    [`X-${'a'.repeat(33)}-AuthToken`, false],
    ['X-SVC-AuthToken', false],
    ['x-svc-authtoken', false],
    ['X-AuthToken', false],
    ['X--AuthToken', false],
    ['A-X-Other-AuthToken', false],
    ['X-Other-AuthToken-2', false],
  ])('is probably misspelled when the token of another one comes: %s %s', (name, isOther) => {
    const headers = new ResponseHeaders(['date', 'now', name, 'abc']);

    expect(names.otherTokenHeader(headers)).toBe(isOther ? name : undefined);
  });
});

describe('the vendor headers that are held', () => {
  const captured = (...fields: [string, string][]): [boolean, Record<string, string>] => {
    const held = new Map([['x-svc-held', '1']]);
    const hasChanged = names.capture(held, fields);
    return [hasChanged, Object.fromEntries(held)];
  };
  const HELD = { 'x-svc-held': '1' };

  it('are those of the vendor, under lowercase names', () => {
    expect(captured(['X-SVC-New', 'a b\t~'], ['X-Other', 'b'])).toEqual([
      true,
      { ...HELD, 'x-svc-new': 'a b\t~' },
    ]);
  });

  it.each<[string, string]>([
    ['X-SVC-AuthToken', 'abc'],
    ['x-svc-identitytoken', 'abc'],
    ['a-x-svc-new', 'abc'],
    ['X-SVC-New', 'caf\u00e9'],
    ['X-SVC-New', 'a\u0000'],
    ['X-SVC-New', 'a\u007f'],
    ['X-SVC-Held', '1'],
  ])('do not change by %s: %j', (name, value) => {
    expect(captured([name, value])).toEqual([false, HELD]);
  });

  it('change by another value of the same name', () => {
    expect(captured(['X-SVC-Held', '2'])).toEqual([true, { 'x-svc-held': '2' }]);
  });

  it('are at most 16, of which each can still change', () => {
    const held = new Map<string, string>();
    const more = Array.from({ length: 17 }, (_, n): [string, string] => [`X-SVC-${n}`, 'a']);

    names.capture(held, more);

    expect([...held.keys()]).toEqual(more.slice(0, 16).map(([name]) => name.toLowerCase()));
    expect(names.capture(held, [['X-SVC-3', 'b']])).toBe(true);
    expect(held.get('x-svc-3')).toBe('b');
    expect(names.capture(held, [['X-SVC-16', 'b']])).toBe(false);
  });

  it('have at most 4,096 characters together, names included, and the old value of a name does not count', () => {
    const held = new Map<string, string>();
    const fits = (name: string, length: number): boolean => names.capture(held, [[name, 'v'.repeat(length)]]);

    expect(fits('x-svc-a', 4090)).toBe(false);
    expect(fits('x-svc-a', 4089)).toBe(true);
    expect(fits('x-svc-a', 4090)).toBe(false);
    expect(fits('x-svc-a', 2000)).toBe(true);
    expect(fits('x-svc-b', 2083)).toBe(false);
    expect(fits('x-svc-b', 2082)).toBe(true);
    expect(held.get('x-svc-a')).toHaveLength(2000);
  });

  it('beyond the limits are passed over, and later ones that fit are held', () => {
    expect(captured(['X-SVC-Long', 'v'.repeat(5000)], ['X-SVC-Short', 's'])).toEqual([
      true,
      { ...HELD, 'x-svc-short': 's' },
    ]);
  });
});

describe('the headers of a request', () => {
  const fixed = { fields: {}, projectId: undefined, token: undefined };
  const ALWAYS = {
    accept: 'application/json',
    'user-agent': 'portico',
    'accept-encoding': 'gzip, deflate, br',
  };

  it('are few when there is neither a session nor a body', () => {
    expect(hopHeaders(fixed, undefined, '', names)).toStrictEqual(ALWAYS);
  });

  it('name the token, the project and the cookies where there are any', () => {
    expect(hopHeaders({ fields: {}, projectId: 'P', token: 'T' }, undefined, 'a=1', names)).toStrictEqual({
      ...ALWAYS,
      'X-SVC-ProjectID': 'P',
      'X-SVC-AuthToken': 'T',
      cookie: 'a=1',
    });
  });

  it("are the caller's own where there are such, except for the codings, which the client has to read", () => {
    const fields = { accept: 'text/csv', 'user-agent': 'mine', 'accept-encoding': 'zstd', 'x-own': '1' };

    expect(hopHeaders({ ...fixed, fields }, undefined, '', names)).toStrictEqual({
      ...fields,
      'accept-encoding': ALWAYS['accept-encoding'],
    });
  });

  it('have the content type of the body, or that of the caller, and none without a body', () => {
    const own = { ...fixed, fields: { 'content-type': 'text/csv' } };
    const text = textBody('text/plain', 'a');

    expect(hopHeaders(fixed, text, '', names)).toStrictEqual({ ...ALWAYS, 'content-type': 'text/plain' });
    expect(hopHeaders(own, text, '', names)).toStrictEqual({ ...ALWAYS, 'content-type': 'text/csv' });
    expect(hopHeaders(own, undefined, '', names)).toStrictEqual(ALWAYS);
    expect(hopHeaders(fixed, bytesBody(Uint8Array.of(1)), '', names)).toStrictEqual(ALWAYS);
  });
});

describe("a caller's own headers", () => {
  const read = (given: unknown): Record<string, string> =>
    callerFields(given as HeadersInit, names, undefined);

  it.each<[string, unknown]>([
    ['an object', { 'X-Own': 'a', 'x-OTHER': '' }],
    ['a list of pairs', [['X-Own', 'a'] as const, ['x-OTHER', ''] as const]],
    ['headers of the standard', new Headers({ 'X-Own': 'a', 'x-OTHER': '' })],
    [
      'a map',
      new Map([
        ['X-Own', 'a'],
        ['x-OTHER', ''],
      ]),
    ],
  ])('come as %s, and are named in lower case', (_form, given) => {
    expect(read(given)).toEqual({ 'x-own': 'a', 'x-other': '' });
  });

  it('of one name are joined', () => {
    expect(
      read([
        ['X-Own', 'a'],
        ['x-own', 'b'],
      ]),
    ).toEqual({ 'x-own': 'a, b' });
  });

  it.each(['accept', "!#$%&'*+-.^_`|~09AZ", 'x'.repeat(256)])('may be named %s', (name) => {
    expect(read({ [name]: 'a' })).toEqual({ [name.toLowerCase()]: 'a' });
  });

  it.each(['', 'a b', 'a:', 'a\n', '\u00e9', 'x'.repeat(257)])('are never named %j', (name) => {
    expect(() => read({ [name]: 'a' })).toThrow('has an unusable name');
  });

  it.each([[[5, 'a']], ['ab'], [{ 0: 'x-own', 1: 'a' }], [undefined]])(
    'are never made of an entry that is no pair: %j',
    (entry) => {
      expect(() => read([entry])).toThrow('has an unusable name');
    },
  );

  it.each(['', ' ~', 'a'.repeat(4096)])('may be %j', (value) => {
    expect(read({ 'x-own': value })).toEqual({ 'x-own': value });
  });

  it.each(['a\tb', 'a\r\nb', '\u007f', '\u00e9', 'a'.repeat(4097), 5, null, ['a']])(
    'are never %j, which is not quoted',
    (value) => {
      expect(() => read({ 'x-own': value })).toThrow(
        new InvalidRequestError('The request header x-own has an unusable value.'),
      );
    },
  );

  it.each([
    ...['Accept-Encoding', 'Connection', 'Content-Length', 'Cookie', 'Expect', 'Host', 'Keep-Alive'],
    ...['Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
    ...['X-SVC-AuthToken', 'x-svc-projectid'],
  ])('are never %s, which the client sets itself', (name) => {
    expect(() => read({ [name]: 'a' })).toThrow(
      `The request header ${name.toLowerCase()} is set by the client itself.`,
    );
  });

  it('may replace the content type of every body but a form, which needs its boundary', () => {
    const own = (type: string, given?: string): unknown =>
      callerFields(given === undefined ? {} : { 'content-type': given }, names, textBody(type, 'a'));

    expect(own('text/plain', 'text/csv')).toEqual({ 'content-type': 'text/csv' });
    expect(own('multipart/form-data; boundary=a')).toEqual({});
    expect(own('multipart/form-data; boundary=a', 'multipart/form-data; boundary=a')).toEqual({
      'content-type': 'multipart/form-data; boundary=a',
    });
    expect(() => own('multipart/form-data; boundary=a', 'multipart/form-data')).toThrow('boundary');
    expect(callerFields({ 'content-type': 'a/b' }, names, bytesBody(Uint8Array.of(1)))).toEqual({
      'content-type': 'a/b',
    });
  });
});
