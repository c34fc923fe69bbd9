import { describe, expect, it } from 'vitest';
import { readProxy } from '../../../src/client/transport/proxy.js';

const PROXY = 'http://proxy.example:3128';
const isFor = (noProxy: string, target: string): boolean | undefined =>
  readProxy(PROXY, noProxy)?.isFor(new URL(target));

describe('the URL of a proxy', () => {
  it.each([
    [PROXY, `${PROXY}/`],
    [new URL(PROXY), `${PROXY}/`],
    ['http://user:secret@proxy.example', 'http://user:secret@proxy.example/'],
  ])('is %s, with its user', (given, url) => {
    expect(readProxy(given, '')?.url).toBe(url);
  });

  it('may be absent, whatever the exceptions are', () => {
    expect(readProxy(undefined, '*')).toBeUndefined();
  });

  it.each([
    ...['https://proxy.example', 'socks5://proxy.example', 'proxy.example', '', 5, ['http://proxy.example']],
    ...['http://proxy.example/path', 'http://proxy.example/?a=b', 'http://proxy.example/#a'],
  ])('is never %s, which is not quoted', (given) => {
    expect(() => readProxy(given as string, '')).toThrow(
      new TypeError('proxy: must be an http URL without path, query, or fragment.'),
    );
  });

  it('has exceptions that are a text', () => {
    expect(() => readProxy(PROXY, ['*'] as never)).toThrow(new TypeError('noProxy: must be a string.'));
  });
});

describe('an exception from a proxy', () => {
  it.each<[string, string, boolean]>([
    ['', 'http://a.example/', false],
    [' , ', 'http://a.example/', false],
    [' , ', 'http://a../', false],
    ['*', 'http://a.example/', true],
    ['a.example', 'http://a.example/', true],
    ['a.example', 'https://a.example:8443/', true],
    ['A.Example', 'http://a.example/', true],
    ['a.example.', 'http://a.example/', true],
    ['a.example', 'http://a.example./', true],
    ['a.example', 'http://b.a.example/', true],
    ['a.example', 'http://ba.example/', false],
    ['a.example', 'http://a.example.org/', false],
    ['.a.example', 'http://a.example/', true],
    ['*.a.example', 'http://b.a.example/', true],
    ['x.example,a.example', 'http://a.example/', true],
    ['x.example,,a.example', 'http://a.example/', true],
    ['a.example:http', 'http://http/', false],
    ['a[b.example]', 'http://ab.example/', false],
    ['[b.example]a', 'http://b.examplea/', false],
    ['x.example  a.example\ny.example', 'http://a.example/', true],
    ['x.example, y.example', 'http://a.example/', false],
    ['a.example:80', 'http://a.example/', true],
    ['a.example:443', 'http://a.example/', false],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8080', 'http://a.example:8080/', true],
    ['a.example:8080', 'http://a.example/', false],
    ['*:8080', 'http://a.example:8080/', true],
    ['*:8080', 'http://a.example/', false],
    ['10.0.0.1', 'http://10.0.0.1/', true],
    ['10.0.0.1:80', 'http://10.0.0.1/', true],
    ['10.0.0.1:81', 'http://10.0.0.1/', false],
    ['0.0.1', 'http://10.0.0.1/', false],
    ['10.0.0.0/8', 'http://10.255.0.1/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['10.0.0.0/16', 'http://10.1.0.1/', false],
    ['10.0.0.1/32', 'http://10.0.0.1/', true],
    ['10.0.0.1/32', 'http://10.0.0.2/', false],
    ['10.0.0.0/33', 'http://10.0.0.0/', false],
    ['10.0.0.0/8', 'http://a.example/', false],
    ['a.example/8', 'http://10.0.0.1/', false],
    ['10.0.0.0/8x', 'http://10.0.0.1/', false],
    ['x10.0.0.0/8', 'http://10.0.0.1/', false],
    ['10.0.0.0/8:80', 'http://10.0.0.1/', true],
    ['10.0.0.0/8:81', 'http://10.0.0.1/', false],
    ['::1', 'http://[::1]/', true],
    ['[::1]', 'http://[::1]/', true],
    ['[::1]:80', 'http://[::1]/', true],
    ['[::1]:81', 'http://[::1]/', false],
    ['[::1', 'http://[::1]/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://[fe00::1]/', false],
    ['fd00::/64', 'http://[fd00::1]/', true],
    ['fd00::1/128', 'http://[fd00::1]/', true],
    ['fd00::1/129', 'http://[fd00::1]/', false],
    ['2001:db8:1:2:3:4:5:6', 'http://[2001:db8:1:2:3:4:5:6]/', true],
    ['fd00::/8', 'http://10.0.0.1/', false],
  ])('%j lets pass by it a call to %s: %s', (noProxy, target, isException) => {
    expect(isFor(noProxy, target)).toBe(!isException);
  });

  it('is the same for every call to one origin', () => {
    const proxy = readProxy(PROXY, 'a.example:80');
    const answers = [
      'http://a.example/x',
      'http://a.example/y',
      'https://a.example/x',
      'http://b.example/',
    ].map((target) => proxy?.isFor(new URL(target)));

    expect(answers).toEqual([false, false, true, true]);
  });
});
