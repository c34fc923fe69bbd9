import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { drawing, figures, type Rooms, roomsOf } from '../../scripts/rooms.js';

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

/** The boxes of a drawing, and its arrows by the room that they start from. */
function drawn(text: string): { boxes: string[]; arrows: Rooms } {
  const names = new Map(
    [...text.matchAll(/^ +(room_\w*)\["(.+)"\]$/gm)].map(([, id = '', name = '']) => [id, name]),
  );
  const room = (id: string): string => names.get(id)?.replace(/^entries$/, 'src') ?? id;
  const arrows: Record<string, string[]> = {};
  for (const [, from = '', to = ''] of text.matchAll(/^ +(room_\w*) --> (room_\w*)$/gm))
    (arrows[room(from)] ??= []).push(room(to));
  return { boxes: [...names.keys()].map(room), arrows };
}

/** All that a room reaches, over other rooms too. */
function reached(rooms: Rooms, from: string): string[] {
  const found = new Set<string>();
  const follow = (room: string): void => {
    for (const next of rooms[room] ?? []) {
      found.add(next);
      follow(next);
    }
  };
  follow(from);
  return [...found].sort();
}

describe('the drawing of the rooms', () => {
  const rooms = { src: ['a', 'b'], a: ['b', 'b/c'], b: ['b/c'], 'b/c': [] };

  it('leaves out an arrow that follows from others', () => {
    expect(drawn(drawing(rooms)).arrows).toEqual({ src: ['a'], a: ['b'], b: ['b/c'] });
  });

  it('is never empty', () => {
    expect(() => drawing({})).toThrow('nothing to draw');
  });

  it('opens docs/architecture.md, with a box for every room and every way down', () => {
    const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
    const [before = '', text = ''] = page.split(/```(?:mermaid\n)?/);
    const { boxes, arrows } = drawn(text);

    expect(before.split('\n').filter((line) => /^[^<#\s]/.test(line))).toEqual([]);
    expect(boxes.length).toBeLessThanOrEqual(26);
    expect([...boxes].sort()).toEqual(Object.keys(ROOMS).sort());
    for (const room of Object.keys(ROOMS)) expect(reached(arrows, room)).toEqual(reached(ROOMS, room));
  });
});
