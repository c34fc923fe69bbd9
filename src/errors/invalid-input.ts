import { type ValidationError } from 'class-validator';
import { InvalidRequestError } from 'portico/client';

/** The error for an input that breaks the rules of its class. It names the fields and the rules, and never a value. */
export function invalidInput(errors: readonly ValidationError[]): InvalidRequestError {
  return new InvalidRequestError(errors.flatMap((error) => brokenRules(error)).join('; '));
}

/** The first broken rule of each field. */
function brokenRules({ property, constraints, children = [] }: ValidationError): string[] {
  const [rule] = Object.values(constraints ?? {}).slice(-1);
  const nested = children.flatMap((child) => brokenRules(child));
  return rule === undefined && nested.length === 0
    ? [`${property} is not valid`]
    : [rule, ...nested].filter((text) => text !== undefined);
}
