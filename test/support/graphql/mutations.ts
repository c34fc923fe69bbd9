import fc from 'fast-check';

/** A part of a text that is taken out, doubled, or replaced by something else. */
interface Edit {
  readonly at: number;
  readonly length: number;
  readonly insert: string;
}

const PIECES = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '"',
  '"""',
  ':',
  '!',
  '$',
  '@',
  '...',
  '#',
  '\\',
  '\\u0000',
  '\u0000',
  '\ufeff',
  '\r\n',
  '-',
  '1e999',
  'null',
  'true',
  '__typename',
  '__schema',
  '__proto__',
  'constructor',
  'fragment F on Query { ...F }',
  '@include(if: true)',
  '...F',
  '$a: Int = 1',
  'mutation',
  'subscription',
  '日本',
  '\ud800',
  ',',
  '}}}}',
  '{{{{',
];
const LONGEST_CUT = 12;

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: LONGEST_CUT }),
  insert: fc.oneof(fc.constantFrom(...PIECES), fc.constant(''), fc.string({ maxLength: 6 })),
});

/**
 * Texts that are nearly one of the given ones: a few parts of each are cut out or replaced. The same seed gives the
 * same texts.
 */
export function mutationsOf(texts: readonly string[], count: number, seed: number): string[] {
  const mutation = fc
    .tuple(fc.constantFrom(...texts), fc.array(edit, { maxLength: 4, size: 'max' }))
    .map(([text, edits]) => edits.reduce(applied, text));
  return fc.sample(mutation, { numRuns: count, seed });
}

function applied(text: string, { at, length, insert }: Edit): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + insert + text.slice(start + length);
}
