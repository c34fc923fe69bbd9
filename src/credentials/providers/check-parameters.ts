/** What a parameter must be, in words that follow its name, and whether a value is that. */
type Rule = readonly [expected: string, holds: (value: unknown, parameters: Parameters) => boolean];

type Parameters = Readonly<Record<string, unknown>>;

export type Rules = Readonly<Record<string, Rule>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const TEXT: Rule = ['must be a text that is not empty', isText];

/** The same for one that may be left out. */
export function optional([expected, holds]: Rule): Rule {
  return [
    `${expected}, or be left out`,
    (value, parameters) => value === undefined || holds(value, parameters),
  ];
}

/** What every provider and group may be given. */
export const ACCESS: Rules = {
  ttlSeconds: optional(['must be a number of seconds', (value) => typeof value === 'number' && value >= 0]),
  timeoutMs: optional([
    'must be a number of milliseconds',
    (value) => typeof value === 'number' && value > 0,
  ]),
  now: optional(['must be a function', (value) => typeof value === 'function']),
};

/** The same for those that ask through an SDK. */
export const SDK_ACCESS: Rules = {
  ...ACCESS,
  clientOptions: optional(['must be an object', (value) => value instanceof Object]),
};

/**
 * Checks the parameters of a provider or group when it is made: a mistake shows there, and not at the first login.
 *
 * @throws TypeError that names the parameter, and never its value: it may be a secret in the wrong place.
 */
export function checkParameters(provider: string, parameters: unknown, rules: Rules): void {
  if (!isParameters(parameters)) throw new TypeError(`${provider} takes one object of named parameters`);
  for (const [name, [expected, holds]] of Object.entries(rules)) {
    if (!holds(parameters[name], parameters)) throw new TypeError(`${provider}: ${name} ${expected}`);
  }
}

/** As {@link checkParameters}, for a value that is given by itself. */
export function checkValue(provider: string, name: string, value: unknown, rule: Rule): void {
  checkParameters(provider, { [name]: value }, { [name]: rule });
}

function isParameters(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null;
}
