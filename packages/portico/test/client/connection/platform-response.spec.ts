import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PlatformHttpError, PlatformResponse } from '../../../src/client/index.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import { largeBytes, ownBytes } from '../../../src/client/transport/read-body.js';

const URL_OF_ALL = new URL('http://platform.example/api/reports');

/** A response with these bytes, one per character. */
function answer(type: string | undefined, bytes: string | Buffer, isDecoded = true): PlatformResponse {
  const headers = new ResponseHeaders(type === undefined ? [] : ['Content-Type', type]);
  const body = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  return PlatformResponse.received(418, headers, body, URL_OF_ALL, isDecoded);
}

describe('a response', () => {
  it.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
  ])('with status %d is a success: %s', (status, ok) => {
    expect(PlatformResponse.from({ status }).ok).toBe(ok);
  });

  it('joins the fields of one name, and has nothing for another', () => {
    const headers = new ResponseHeaders(['Vary', 'a', 'vary', 'b']);
    const response = PlatformResponse.received(200, headers, Buffer.alloc(0), URL_OF_ALL);

    expect([response.header('VARY'), response.headerValues('vary')]).toEqual(['a, b', ['a', 'b']]);
    expect([response.header('etag'), response.headerValues('etag')]).toEqual([undefined, []]);
    expect([response.url, response.text()]).toEqual(['http://platform.example/api/reports', '']);
  });

  it('gives a copy of its bytes, which changes nothing in it', () => {
    const response = answer(undefined, 'abc');
    response.bytes().fill(0);

    expect(response.text()).toBe('abc');
    expect(response.byteLength).toBe(3);
  });

  it('is shown without its headers and its body', () => {
    expect(inspect(answer('text/plain', 'secret'))).toBe('PlatformResponse { status: 418, byteLength: 6 }');
  });

  it('is empty once its memory was given back', () => {
    const body = ownBytes(largeBytes(3));
    const response = answer(undefined, body);
    response.release();

    expect([response.byteLength, response.text(), body.byteLength]).toEqual([0, '', 0]);
  });

  it('has the same digest as one with the same body and content type, and as no other', () => {
    const digest = answer('text/plain', 'a').digest();

    expect(answer('text/plain', 'a').digest()).toBe(digest);
    expect(answer('text/plain', 'b').digest()).not.toBe(digest);
    expect(answer('text/html', 'a').digest()).not.toBe(digest);
  });

  it('finds ASCII in its bytes, whatever the label says', () => {
    const response = answer('text/plain; charset=utf-16', '\xffERR001');

    expect([response.contains('ERR'), response.contains('err'), response.latin1Text()]).toEqual([
      true,
      false,
      '\xffERR001',
    ]);
  });

  it('in another coding than that of its label has neither text nor bytes', () => {
    const response = answer('application/json', 'abc', false);

    for (const read of [() => response.text(), () => response.bytes(), () => response.json()]) {
      expect(read).toThrow(PlatformHttpError);
      expect(read).toThrow(expect.objectContaining({ status: 418 }));
      expect(read).toThrow('not in the coding');
    }
  });
});

describe('the text of a response', () => {
  it.each<[string, string | undefined, string, string]>([
    ['UTF-8 without a label', undefined, 'caf\xc3\xa9', 'caf\u00e9'],
    ['UTF-8 without a charset', 'text/plain', 'caf\xc3\xa9', 'caf\u00e9'],
    ['UTF-8', 'text/plain; charset=utf-8', 'caf\xc3\xa9', 'caf\u00e9'],
    ['UTF-8 without its dash', 'text/plain; charset=utf8', 'caf\xc3\xa9', 'caf\u00e9'],
    ['UTF-8 after its mark', 'text/plain', '\xef\xbb\xbfcaf\xc3\xa9', 'caf\u00e9'],
    ['UTF-8 with a mark inside', 'text/plain', 'a\xef\xbb\xbfb', 'a\ufeffb'],
    [
      'UTF-8 after its mark, with another label',
      'text/plain; charset=latin1',
      '\xef\xbb\xbf\xc3\xa9',
      '\u00e9',
    ],
    ['Latin-1', 'text/plain; charset=latin1', 'caf\xe9', 'caf\u00e9'],
    ['Latin-1 in capitals', 'text/plain;CHARSET = "ISO-8859-1"', 'caf\xe9', 'caf\u00e9'],
    ['Latin-1 in quotes of another kind', "text/plain; charset='latin1'", 'caf\xe9', 'caf\u00e9'],
    ['Latin-1 before another parameter', 'text/plain; charset=latin1;x=y', 'caf\xe9', 'caf\u00e9'],
    ['Latin-1 in the first of two types', 'text/plain; charset=latin1, text/html', 'caf\xe9', 'caf\u00e9'],
    ['Latin-1 that begins with a zero byte', 'text/plain; charset=latin1', '\0a', '\0a'],
    ['Latin-1 that begins like a mark', 'text/plain; charset=latin1', '\xefa', '\u00efa'],
    ['UTF-16 by its mark, low byte first', 'text/plain', '\xff\xfea\0', 'a'],
    ['UTF-16 by its mark, high byte first', 'text/plain', '\xfe\xff\0a', 'a'],
    ['UTF-16 by its label, high byte first', 'text/plain; charset=utf-16', '\0a', 'a'],
    ['UTF-16 by its label, low byte first', 'text/plain; charset=utf-16', 'a\0', 'a'],
    ['an unknown charset that is UTF-8', 'text/plain; charset=none', 'caf\xc3\xa9', 'caf\u00e9'],
    ['a parameter that only ends as a charset', 'text/plain; xcharset=latin1', 'caf\xc3\xa9', 'caf\u00e9'],
    ['an empty body', 'text/plain', '', ''],
  ])('is read from %s', (_which, type, bytes, text) => {
    expect(answer(type, bytes).text()).toBe(text);
  });

  it.each<[string, string | undefined, string]>([
    ['that is not UTF-8', undefined, 'caf\xe9'],
    ['after a mark that is not UTF-8', undefined, '\xef\xbb\xbf\xe9'],
    ['that is not in its charset', 'text/plain; charset=utf-16', 'abc'],
    ['of an unknown charset that is not UTF-8', 'text/plain; charset=none', 'caf\xe9'],
  ])('is never guessed from a body %s', (_which, type, bytes) => {
    const response = answer(type, bytes);

    expect(() => response.text()).toThrow(PlatformHttpError);
    expect(() => response.text()).toThrow(expect.objectContaining({ status: 418 }));
  });
});

describe('the JSON of a response', () => {
  it.each([
    undefined,
    '',
    'application/json',
    ' application/json ',
    'APPLICATION/JSON;charset=utf-8',
    'application/json , application/json',
    'text/json',
    'application/problem+json',
    'application/vnd.a-b_c+json; v=1',
  ])('is read where the content type is %s', (type) => {
    const response = answer(type, '{"a":1}');

    expect([response.mayBeJson, response.json()]).toEqual([true, { a: 1 }]);
  });

  it.each([
    'text/plain',
    'application/jsonp',
    'image/json',
    'xapplication/json',
    'application/a/b+json',
    'application/json x',
    'x, application/json',
  ])('is not read where the content type is %s', (type) => {
    const response = answer(type, '{"a":1}');

    expect(response.mayBeJson).toBe(false);
    expect(() => response.json()).toThrow('is not JSON');
    expect(() => response.json()).toThrow(expect.objectContaining({ status: 418 }));
  });

  it('may be nested 64 levels deep, not 65', () => {
    const nested = (levels: number): PlatformResponse =>
      answer('application/json', `${'['.repeat(levels)}${']'.repeat(levels)}`);

    expect(nested(64).json()).toBeInstanceOf(Array);
    expect(() => nested(65).json()).toThrow('nested more than 64 levels deep');
    expect(() => nested(65).json()).toThrow(expect.objectContaining({ status: 418 }));
  });

  it('that is broken is a protocol error', () => {
    expect(() => answer('application/json', '{"a":').json()).toThrow(PlatformHttpError);
    expect(() => answer('application/json', '{"a":').json()).toThrow('is not JSON');
  });
});

describe('a response for a test', () => {
  it.each<[string, unknown, string | undefined, string]>([
    ['text', 'a', undefined, 'a'],
    ['bytes', Uint8Array.of(0x61), undefined, 'a'],
    ['an object', { a: 1 }, 'application/json', '{"a":1}'],
    ['a list', [1], 'application/json', '[1]'],
    ['null', null, 'application/json', 'null'],
  ])('has the content type of its body: %s', (_what, body, type, text) => {
    const response = PlatformResponse.from({ body });

    expect([response.header('content-type'), response.text()]).toEqual([type, text]);
  });

  it('keeps the content type that it is given, and says where it came from', () => {
    const response = PlatformResponse.from({
      body: {},
      headers: [['Content-Type', 'application/problem+json']],
      url: new URL('http://h/x'),
    });

    expect([response.header('content-type'), response.url]).toEqual([
      'application/problem+json',
      'http://h/x',
    ]);
    expect(PlatformResponse.from().url).toBe('http://localhost/');
    expect(PlatformResponse.from().status).toBe(200);
  });
});
