import { distance } from 'fastest-levenshtein';

/**
 * Says that a name is unknown, and which one is probably meant: an ignored one would leave a default in its place.
 */
export function unknownName(name: string, known: readonly string[]): string {
  const similar = known.filter((other) => distanceOf(name, other) <= Math.max(name.length, other.length) / 2);
  const nearest = similar.toSorted((one, other) => distanceOf(name, one) - distanceOf(name, other))[0];
  return nearest === undefined
    ? `is not a known name; known are ${known.join(', ')}`
    : `is not a known name; do you mean ${nearest}?`;
}

/** Neither case, nor a dash or underscore between words, nor a further word makes a name another one. */
function distanceOf(one: string, other: string): number {
  const [plain, otherPlain] = [one, other].map((name) => name.replace(/[-_]/g, '').toLowerCase()) as [
    string,
    string,
  ];
  if (plain === otherPlain) return 0;
  const isPart = plain.includes(otherPlain) || otherPlain.includes(plain);
  return isPart && Math.min(plain.length, otherPlain.length) >= SHORTEST_WORD
    ? 1
    : distance(plain, otherPlain);
}

const SHORTEST_WORD = 4;
