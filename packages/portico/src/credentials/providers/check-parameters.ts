import { isRecord, optional, problemsOf, rule, type Rule, type Rules } from './rules.js';

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
 * Checks the parameters of a provider or group when it is made, so that a mistake shows at once and not at the first
 * login.
 *
 * @throws TypeError that names the parameter and never its value, which may be a secret in the wrong place
 */
export function checkParameters(provider: string, parameters: unknown, rules: Rules): void {
  if (!isRecord(parameters)) throw new TypeError(`${provider} takes one object of named parameters`);
  const [problem] = problemsOf(parameters, rules);
  if (problem !== undefined) {
    throw new TypeError(`${provider}: ${problem.path.join('.')} ${problem.message}`);
  }
}

/** Like {@link checkParameters}, for a single value. */
export function checkValue(provider: string, name: string, value: unknown, check: Rule): void {
  checkParameters(provider, { [name]: value }, { [name]: check });
}
