import { unknownName } from '../../errors/unknown-name.js';

/** What is wrong with a value, and where: the path below it, empty for the value itself. */
export interface Problem {
  readonly path: readonly string[];
  /** In words that follow the name. Never with the value: it may be a secret in the wrong place. */
  readonly message: string;
}

export type Values = Readonly<Record<string, unknown>>;

/** Finds what is wrong with one value. `siblings` is the object that contains it. */
export type Rule = (value: unknown, siblings: Values) => readonly Problem[];

/** One rule for each name of an object. */
export type Rules<Parameters = Values> = { readonly [Name in keyof Parameters]-?: Rule };

export function rule(message: string, holds: (value: unknown, siblings: Values) => boolean): Rule {
  return (value, siblings) => (holds(value, siblings) ? [] : [{ path: [], message }]);
}

export function optional(of: Rule): Rule {
  return (value, siblings) => (value === undefined ? [] : of(value, siblings));
}

export const TEXT = rule(
  'must be a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
);

/** A whole number of 0 or more, up to `most` if that is given. */
export function wholeNumber(most = Number.MAX_SAFE_INTEGER): Rule {
  const range = most === Number.MAX_SAFE_INTEGER ? ', 0 or more' : ` from 0 to ${most}`;
  return rule(
    `must be a whole number${range}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most,
  );
}

/** An object that has only the names of the rules. */
export function object(rules: Rules): Rule {
  return (value) =>
    isRecord(value) ? problemsOf(value, rules) : [{ path: [], message: 'must be an object' }];
}

/** An object in which the name `tag` says which rules hold for the other names. */
export function oneOf(tag: string, variants: Readonly<Record<string, Rules>>): Rule {
  return (value, siblings) => {
    if (!isRecord(value)) return [{ path: [], message: 'must be an object' }];
    const { [tag]: chosen, ...others } = value;
    const rules =
      typeof chosen === 'string' && Object.hasOwn(variants, chosen) ? variants[chosen] : undefined;
    if (rules !== undefined) return object(rules)(others, siblings);
    return [{ path: [tag], message: `must be one of ${Object.keys(variants).join(', ')}` }];
  };
}

/** Everything that is wrong with an object: the values that the rules name, and the names that have no rule. */
function problemsOf(values: Values, rules: Rules): Problem[] {
  const wrong = Object.entries(rules).flatMap(([name, check]) =>
    check(values[name], values).map(({ path, message }) => ({ path: [name, ...path], message })),
  );
  const unknown = Object.keys(values).filter(
    (name) => values[name] !== undefined && !Object.hasOwn(rules, name),
  );
  return [
    ...wrong,
    ...unknown.map((name) => ({ path: [name], message: unknownName(name, Object.keys(rules)) })),
  ];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** What every provider and group takes besides the parameters of its store. */
export const ACCESS = {
  ttlSeconds: optional(
    rule('must be a number of seconds', (value) => typeof value === 'number' && value >= 0),
  ),
  timeoutMs: optional(
    rule('must be a number of milliseconds', (value) => typeof value === 'number' && value > 0),
  ),
  now: optional(rule('must be a function', (value) => typeof value === 'function')),
} satisfies Rules;

/** The same for those that ask through an SDK. */
export const SDK_ACCESS = {
  ...ACCESS,
  clientOptions: optional(rule('must be an object', (value) => value instanceof Object)),
} satisfies Rules;

/** Where environment variables are looked up. */
export const ENVIRONMENT = optional(rule('must be an object', (value) => value instanceof Object));

/**
 * Checks the parameters of a provider or group when it is made, so that a mistake shows before the first login.
 *
 * @throws TypeError that names each wrong parameter, and never a value, which may be a secret in the wrong place
 */
export function checkParameters(provider: string, parameters: unknown, rules: Rules): void {
  if (!isRecord(parameters)) throw new TypeError(`${provider} takes one object of named parameters`);
  const problems = problemsOf(parameters, rules).map(({ path, message }) => `${path.join('.')} ${message}`);
  if (problems.length > 0) throw new TypeError(`${provider}: ${problems.join('; ')}`);
}

/** Like {@link checkParameters}, for a single value. */
export function checkValue(provider: string, name: string, value: unknown, check: Rule): void {
  checkParameters(provider, { [name]: value }, { [name]: check });
}
