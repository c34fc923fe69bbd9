import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { drawing, figures, type Rooms, roomsOf, roomTable } from '../../scripts/rooms.js';

const ROOMS = createRequire(import.meta.url)('../../.dependency-rooms.cjs') as Rooms;

describe('the table of rooms', () => {
  it('lets no two rooms import each other', () => {
    expect(figures(ROOMS).rooms).toBe(Object.keys(ROOMS).length);
  });

  it('names only rooms that it lists', () => {
    const named = Object.values(ROOMS).flat();
    expect(named.filter((room) => ROOMS[room] === undefined)).toEqual([]);
  });

  it('lets the library import nothing of the service, and the embedded platform and the errors nothing at all', () => {
    const ofLibrary = Object.entries(ROOMS).filter(([room]) => room.startsWith('portico/'));
    expect(
      ofLibrary.flatMap(([, imports]) => imports.filter((room) => !room.startsWith('portico/'))),
    ).toEqual([]);
    expect([ROOMS['portico/embedded-platform'], ROOMS['portico/errors']]).toEqual([[], []]);
  });
});

describe('the figures of the rooms', () => {
  const module = (source: string, ...resolved: string[]) => ({
    source,
    dependencies: resolved.map((path) => ({ resolved: path })),
  });

  it('count each arrow between two rooms once, and no arrow to a package', () => {
    const rooms = roomsOf([
      module('src/main.ts', 'src/a/one.ts', 'node_modules/got/index.js'),
      module('src/a/one.ts', 'src/a/two.ts', 'src/a/b/three.ts'),
      module('src/a/two.ts', 'src/a/b/three.ts'),
      module('src/a/b/three.ts'),
    ]);
    expect(rooms).toEqual({ src: ['a'], a: ['a/b'], 'a/b': [] });
    expect(figures(rooms)).toEqual({ rooms: 3, floors: 3, arrows: 2 });
  });

  it('name the rooms of a cycle', () => {
    expect(() => figures({ a: ['b'], b: ['c'], c: ['a'] })).toThrow('a, b, c, a');
  });
});

describe('the drawing of the rooms', () => {
  const rooms = { '': ['a', 'b'], a: ['b', 'b/c'], b: ['b/c'], 'b/c': [] };

  it('leaves out an arrow that follows from others', () => {
    const arrows = [...drawing(rooms).matchAll(/room_(\w*) --> room_(\w*)/g)].map(([, from, to]) => [
      from,
      to,
    ]);
    expect(arrows).toEqual([
      ['', 'a'],
      ['a', 'b'],
      ['b', 'b_c'],
    ]);
  });

  it('stands beside a table that has every arrow', () => {
    expect(roomTable(rooms)).toContain('| `a` | `b`, `b/c` |');
    expect(roomTable(rooms)).toContain('| `b/c` | nothing of ours |');
  });
});
