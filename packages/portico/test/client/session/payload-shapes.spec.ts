import { describe, expect, it } from 'vitest';
import {
  leftOutProjects,
  PlatformHttpError,
  PlatformResponse,
  rawPayload,
} from '../../../src/client/index.js';
import { readProjects, readSessionInfo, readUser } from '../../../src/client/session/payload-shapes.js';

const answer = (body: unknown): PlatformResponse => PlatformResponse.from({ status: 207, body });
const names = (value: object): PropertyKey[] => Reflect.ownKeys(value);

describe('a field of a known name', () => {
  it.each<[string, unknown, object]>([
    ['a text', 'Ann', { fullName: 'Ann' }],
    ['an empty text', '', { fullName: '' }],
    ['null', null, { fullName: null }],
    ['a number', 5, {}],
    ['an object', {}, {}],
  ])('that should be a text, and is %s, is read as %j', (_what, fullName, read) => {
    expect(readUser(answer({ fullName }))).toStrictEqual(read);
  });

  it.each<[unknown, object]>([
    [1.5, { timeout: 1.5 }],
    [null, { timeout: null }],
    ['600', { timeout: 600 }],
    [' -600 ', { timeout: -600 }],
    ['1'.repeat(15), { timeout: 111_111_111_111_111 }],
    ['1'.repeat(16), {}],
    ['', {}],
    ['6x', {}],
    ['x6', {}],
    ['6 6', {}],
    ['--6', {}],
    [[600], {}],
    [true, {}],
  ])('that should be a number, and is %j, is read as %j', (timeout, read) => {
    expect(readSessionInfo(answer({ timeout }))).toStrictEqual(read);
  });

  it.each<[unknown, object]>([
    ['5', { id: '5' }],
    [5, { id: '5' }],
    [-5, { id: '-5' }],
    [1.5, {}],
    [2 ** 53, {}],
    [[5], {}],
  ])('that is an id, %j, is read as %j', (id, read) => {
    expect(readUser(answer({ id }))).toStrictEqual(read);
  });

  it('that is a number beyond all others is left out', () => {
    const body = '{"timeout":1e999,"locale":1}';

    expect(readSessionInfo(PlatformResponse.from({ body }))).toStrictEqual({ locale: 1 });
  });

  it('that is a number where a text belongs, other than the id, is left out', () => {
    expect(readUser(answer({ initials: 5, fullName: 6, id: 'A' }))).toStrictEqual({ id: 'A' });
    expect(readSessionInfo(answer({ locale: 'de', fullName: 5, more: 6 }))).toStrictEqual({ more: 6 });
  });

  it.each([
    ['alias', 5, undefined],
    ['description', 5, undefined],
    ['status', '0', 0],
    ['dateCreated', 5, undefined],
    ['dateModified', 5, undefined],
    ['owner', 'Ann', undefined],
    ['owner', '5', undefined],
    ['owner', ['Ann'], undefined],
    ['owner', null, null],
  ])('of a project is checked: %s %j', (name, value, read) => {
    const [project] = readProjects(answer([{ id: 'A', name: 'B', [name]: value }]));

    expect(project).toStrictEqual({ id: 'A', name: 'B', ...(read !== undefined && { [name]: read }) });
  });
});

describe('what was corrected', () => {
  it('is also there as the platform sent it, which is not seen', () => {
    const sent = { id: 5, fullName: {} };
    const user = readUser(answer(sent));

    expect(rawPayload(user)).toStrictEqual(sent);
    expect(Object.keys(user)).toEqual(['id']);
    expect({ ...user }).toStrictEqual({ id: '5' });
  });

  it('is the object itself where nothing had to be', () => {
    const user = readUser(answer({ id: '5' }));
    const [project] = readProjects(answer([{ id: 'A', name: 'B', owner: { id: 'O' } }]));

    expect(rawPayload(user)).toBe(user);
    expect(names(user)).toEqual(['id']);
    expect(names(project ?? {})).toEqual(['id', 'name', 'owner']);
  });

  it('in the owner of a project is the project as it was sent', () => {
    const sent = { id: 'A', name: 'B', owner: { id: 5, name: 'Ann' } };
    const [project] = readProjects(answer([sent]));

    expect(project).toStrictEqual({ id: 'A', name: 'B', owner: { id: '5', name: 'Ann' } });
    expect(rawPayload(project ?? {})).toStrictEqual(sent);
  });
});

describe('an answer of another shape', () => {
  it.each<[string, (response: PlatformResponse) => unknown, unknown, string]>([
    ['user', readUser, [], 'is not a user object'],
    ['user', readUser, null, 'is not a user object'],
    ['session', readSessionInfo, 'a', 'is not JSON'],
    ['session', readSessionInfo, 5, 'is not a session object'],
    ['list of projects', readProjects, {}, 'is not a list of projects'],
    ['list of projects', readProjects, [{ id: 'A' }], 'is not projects with id and name'],
    ['list of projects', readProjects, [{ name: 'A' }], 'is not projects with id and name'],
    ['list of projects', readProjects, [null], 'is not projects with id and name'],
  ])('than a %s is a protocol error with its status', (_shape, read, body, problem) => {
    const response = PlatformResponse.from({
      status: 207,
      body: JSON.stringify(body),
      headers: { 'content-type': problem === 'is not JSON' ? 'text/plain' : 'application/json' },
    });

    expect(() => read(response)).toThrow(PlatformHttpError);
    expect(() => read(response)).toThrow(problem);
    expect(() => read(response)).toThrow(expect.objectContaining({ status: 207 }));
  });
});

describe('a list of projects', () => {
  const some = (count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({ id: `${n}`, name: 'P' }));

  it('may have 10,000, not one more', () => {
    expect(readProjects(answer(some(10_000)))).toHaveLength(10_000);
    expect(() => readProjects(answer(some(10_001)))).toThrow('more than 10000 projects');
    expect(() => readProjects(answer(some(10_001)))).toThrow(expect.objectContaining({ status: 207 }));
  });

  it('may be empty', () => {
    const none = readProjects(answer([]));

    expect(none).toEqual([]);
    expect(leftOutProjects(none)).toBe(0);
    expect(names(none)).toEqual(['length']);
  });

  it('counts those that it leaves out', () => {
    const read = readProjects(answer([...some(2), { id: 'A' }, { name: 'A' }, { id: 'A', name: 5 }, 'text']));

    expect(read).toEqual(some(2));
    expect(leftOutProjects(read)).toBe(4);
    expect(names(readProjects(answer(some(2))))).toEqual(['0', '1', 'length']);
  });

  it('is kept in a cache with the size of its answer, if that has 64 KiB or more', () => {
    const kept: [string, object[], number][] = [];
    const cache = {
      get: (digest: string) => kept.find(([key]) => key === digest)?.[1],
      set: (...entry: [string, object[], number]) => kept.push(entry),
    };
    const ofLength = (bytes: number): PlatformResponse => {
      const body = `[{"id":"A","name":"B"}${' '.repeat(bytes - 23)}]`;
      return PlatformResponse.from({ body, headers: { 'content-type': 'application/json' } });
    };

    readProjects(ofLength(64 * 1024 - 1), cache);
    expect(kept).toEqual([]);
    const long = ofLength(64 * 1024);
    const first = readProjects(long, cache);

    expect(kept).toEqual([[long.digest(), first, 64 * 1024]]);
    expect(readProjects(ofLength(64 * 1024), cache)).toBe(first);
    expect(kept).toHaveLength(1);
    expect(readProjects(long)).not.toBe(first);
  });
});
