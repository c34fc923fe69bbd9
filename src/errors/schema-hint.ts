const TYPE = String.raw`"([\w[\]!.]+)"`;
const SUGGESTION = String.raw`(?: Did you mean [a-z ]*((?:"\w+"(?:, or |, | or )?)+)\?)?$`;
/** The built-in scalars. Any other text before "cannot represent" could be part of the value. */
const SCALAR = '(String|Int|Float|Boolean|ID)';

type Words = (...names: (string | undefined)[]) => string;

/**
 * GraphQL's messages that name a part of the schema, and the same messages without the caller's text.
 * A pattern for a message that quotes a value is anchored at the end, where all text is GraphQL's own.
 */
const HINTS: readonly (readonly [RegExp, Words])[] = [
  [
    new RegExp(`^Cannot query field "\\w+" on type ${TYPE}\\.${SUGGESTION}`),
    (type, names) => `Type "${type}" has no such field${suggest(names)}`,
  ],
  [
    new RegExp(`^Unknown argument "\\w+" on field ${TYPE}\\.${SUGGESTION}`),
    (field, names) => `Field "${field}" has no such argument${suggest(names)}`,
  ],
  [new RegExp(`^Unknown type "\\w+"\\.${SUGGESTION}`), (names) => `There is no such type${suggest(names)}`],
  [
    new RegExp(`^Field ${TYPE} must not have a selection since type ${TYPE} has no subfields`),
    (field, type) => `Field "${field}" of type "${type}" has no fields to select`,
  ],
  [
    new RegExp(`^Field ${TYPE} of type ${TYPE} must have a selection of subfields`),
    (field, type) => `Field "${field}" of type "${type}" needs a selection of its fields`,
  ],
  [
    new RegExp(`^Field ${TYPE} argument ${TYPE} of type ${TYPE} is required, but it was not provided`),
    (field, argument, type) => `Field "${field}" needs the argument "${argument}" of type "${type}"`,
  ],
  [
    new RegExp(`^Variable "\\$\\w+" of type ${TYPE} used in position expecting type ${TYPE}`),
    (given, wanted) => `A variable of type "${given}" is used where "${wanted}" is expected`,
  ],
  [
    new RegExp(`^Variable "\\$\\w+" of (?:required|non-null) type ${TYPE}`),
    (type) => `A variable of type "${type}" is required`,
  ],
  [
    new RegExp(`^Argument ${TYPE} of (?:required|non-null) type ${TYPE}`),
    (argument, type) => `The argument "${argument}" of type "${type}" needs a value`,
  ],
  [new RegExp(`^Expected value of type ${TYPE}, found `), (type) => `A value of type "${type}" is expected`],
  [
    new RegExp(`Expected type ${TYPE} to be an object\\.$`),
    (type) => `An object of type "${type}" is expected`,
  ],
  [
    new RegExp(`Expected non-nullable type ${TYPE} not to be null\\.$`),
    (type) => `A value of type "${type}" must not be null`,
  ],
  [
    new RegExp(`Field ${TYPE} of required type ${TYPE} was not provided\\.$`),
    (field, type) => `The input field "${field}" of type "${type}" is required`,
  ],
  [
    new RegExp(`is not defined by type ${TYPE}\\.${SUGGESTION}`),
    (type, names) => `The input type "${type}" has no such field${suggest(names)}`,
  ],
  [
    new RegExp(`does not exist in ${TYPE} enum\\.${SUGGESTION}`),
    (type, names) => `"${type}" has no such value${suggest(names)}`,
  ],
  [new RegExp(`(?:^|; )${SCALAR} cannot represent `), (type) => `A value of type "${type}" is expected`],
];

/** The message with names of the schema and nothing of the request; undefined if no pattern matches. */
export function schemaHint(message: string): string | undefined {
  for (const [pattern, words] of HINTS) {
    const match = pattern.exec(message);
    if (match !== null) return words(...match.slice(1));
  }
  return undefined;
}

function suggest(names: string | undefined): string {
  return names === undefined ? '' : `; did you mean ${names}?`;
}
