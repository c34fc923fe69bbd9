import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from '../../src/config/redis-url.js';

const NO_LOGIN = { username: undefined, password: undefined };

describe('the URL of Redis', () => {
  it('names one server, with its port and database', () => {
    expect(parseRedisUrl('redis://redis.example:7000/2')).toEqual({
      kind: 'single',
      isTls: false,
      nodes: [{ host: 'redis.example', port: 7000 }],
      ...NO_LOGIN,
      group: undefined,
      database: 2,
    });
  });

  it.each(['redis://redis.example', 'redis://redis.example/'])(
    'has the usual port and the first database where it names none: %s',
    (url) => {
      expect(parseRedisUrl(url)).toMatchObject({
        nodes: [{ host: 'redis.example', port: 6379 }],
        database: 0,
      });
    },
  );

  it('names sentinels, the name of their master, and a database', () => {
    expect(parseRedisUrl('rediss+sentinel://one.example,two.example:7001/my-master/15')).toEqual({
      kind: 'sentinel',
      isTls: true,
      nodes: [
        { host: 'one.example', port: 26_379 },
        { host: 'two.example', port: 7001 },
      ],
      ...NO_LOGIN,
      group: 'my-master',
      database: 15,
    });
    expect(parseRedisUrl('redis+sentinel://one.example/my-master')).toMatchObject({ database: 0 });
  });

  it('names some nodes of a cluster, which has one database', () => {
    expect(parseRedisUrl('redis+cluster://one.example:7000,two.example')).toEqual({
      kind: 'cluster',
      isTls: false,
      nodes: [
        { host: 'one.example', port: 7000 },
        { host: 'two.example', port: 6379 },
      ],
      ...NO_LOGIN,
      group: undefined,
      database: 0,
    });
    expect(parseRedisUrl('redis+cluster://one.example/')).toMatchObject({ kind: 'cluster' });
  });

  it('has addresses of IPv6 in brackets', () => {
    expect(parseRedisUrl('redis://[fd00::7]:7000')?.nodes).toEqual([{ host: 'fd00::7', port: 7000 }]);
  });

  it.each([
    ['portico:secret@', 'portico', 'secret'],
    ['portico@', 'portico', undefined],
    [':secret@', undefined, 'secret'],
    ['a%40b:c%2Fd%3F@', 'a@b', 'c/d?'],
    ['portico:with:colons@', 'portico', 'with:colons'],
    ['@', undefined, undefined],
  ])('has the user and the password of %s', (login, username, password) => {
    expect(parseRedisUrl(`redis://${login}redis.example`)).toMatchObject({ username, password });
  });

  it.each([
    ['a path of two parts to one server', 'redis://redis.example/0/1'],
    ['a database of four digits', 'redis://redis.example/1000'],
    ['a database of a cluster', 'redis+cluster://one.example/1'],
    ['a second part of a path to a cluster', 'redis+cluster://one.example//1'],
    ['a name of a master that has a space', 'redis+sentinel://one.example/my master'],
    ['one host of several that is none', 'redis+cluster://one.example,two.example:port'],
    ['a part of a login that cannot be decoded', 'redis://portico:%zz@redis.example'],
    ['a port that is none', 'redis://redis.example:99999'],
    ['a port without a host', 'redis://:6379'],
    ['text in front', ' redis://redis.example'],
    ['a query', 'redis://redis.example/0?db=1'],
    ['no text', undefined],
    ['a list with one URL', ['redis://redis.example']],
  ])('is refused with %s', (_what, url) => {
    expect(parseRedisUrl(url)).toBeUndefined();
  });
});
