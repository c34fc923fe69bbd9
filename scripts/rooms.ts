/** Each room with the rooms that it imports; `src` is src itself, the entries. */
export type Rooms = Readonly<Record<string, readonly string[]>>;

/** A dependency as dependency-cruiser reports it. */
export interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/** The rooms of the code, with the imports that there really are. */
export function roomsOf(modules: readonly CruisedModule[]): Rooms {
  const rooms = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const room = roomOf(source);
    if (room === undefined) continue;
    const imports = rooms.get(room) ?? new Set();
    rooms.set(room, imports);
    for (const { resolved } of dependencies) {
      const other = roomOf(resolved);
      if (other !== undefined && other !== room) imports.add(other);
    }
  }
  return Object.fromEntries([...rooms].map(([room, imports]) => [room, [...imports]]));
}

function roomOf(path: string): string | undefined {
  const [, place = '', inside] =
    /^(src|packages\/portico\/(?:src|dist))(?:\/(.+))?\/[^/]+\.ts$/.exec(path) ?? [];
  if (place === '') return undefined;
  if (place === 'src') return inside ?? 'src';
  return inside === undefined ? 'portico' : `portico/${inside}`;
}

/** How many rooms there are, how many arrows between them, and how many floors the longest way down has. */
export function figures(rooms: Rooms): { rooms: number; floors: number; arrows: number } {
  const heights = new Map<string, number>();
  const heightOf = (room: string, above: readonly string[]): number => {
    if (above.includes(room))
      throw new Error(`These rooms import each other: ${[...above, room].join(', ')}`);
    const known = heights.get(room);
    if (known !== undefined) return known;
    const height = 1 + Math.max(0, ...(rooms[room] ?? []).map((below) => heightOf(below, [...above, room])));
    heights.set(room, height);
    return height;
  };
  return {
    rooms: Object.keys(rooms).length,
    floors: Math.max(0, ...Object.keys(rooms).map((room) => heightOf(room, []))),
    arrows: Object.values(rooms).reduce((sum, imports) => sum + imports.length, 0),
  };
}

/**
 * The rooms as a Mermaid drawing, folder by folder. An arrow that follows from other arrows is left out, so that every
 * way down can still be followed.
 *
 * @throws Error where there is nothing to draw
 */
export function drawing(rooms: Rooms): string {
  const boxes = boxesByFolder(rooms);
  const arrows = Object.entries(rooms).flatMap(([room, imports]) =>
    imports
      .filter((target) => !imports.some((other) => reaches(rooms, other, target)))
      .map((target) => `  ${id(room)} --> ${id(target)}`),
  );
  if (arrows.length === 0) throw new Error('There is nothing to draw.');
  return ['```mermaid', 'flowchart TD', ...boxes, ...arrows, '```'].join('\n');
}

function boxesByFolder(rooms: Rooms): string[] {
  return [...new Set(Object.keys(rooms).map(topOf))].flatMap((top) => {
    const inside = Object.keys(rooms).filter((room) => topOf(room) === top);
    const boxes = inside.map((room) => `  ${id(room)}["${room === 'src' ? 'entries' : room}"]`);
    return inside.length > 1 ? [`  subgraph folder_${id(top)} ["${top}/"]`, ...boxes, '  end'] : boxes;
  });
}

function topOf(room: string): string {
  return room.split('/', 1)[0] ?? '';
}

function reaches(rooms: Rooms, from: string, target: string): boolean {
  return (rooms[from] ?? []).some((next) => next === target || reaches(rooms, next, target));
}

/** Mermaid takes letters and underscores; a room named like a keyword, such as `end`, needs the prefix. */
function id(room: string): string {
  return `room_${room.replaceAll(/[^a-z]/g, '_')}`;
}
