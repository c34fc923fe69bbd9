import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import { accessSync, constants, statSync } from 'node:fs';

/** The longest delay that Node's timers accept. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The largest number for a setting without a bound of its own. */
const LARGEST = 1_000_000_000;

/** Converts `true` and `false`; leaves anything else for the checks to refuse. */
export function TrueOrFalse(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    value === 'true' ? true : value === 'false' ? false : value,
  );
}

/** Removes a final slash from a path. */
export function WithoutFinalSlash(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/(?<=.)\/$/, '') : value,
  );
}

/** `true` or `false`, and nothing else. */
export function Flag(): PropertyDecorator {
  return all(TrueOrFalse(), IsBoolean({ message: '$property must be true or false' }));
}

/** A string that matches a pattern, or not set; `message` follows the setting's name. */
export function Matching(pattern: RegExp, message: string): PropertyDecorator {
  return all(IsOptional(), Matches(pattern, { message: `$property ${message}` }));
}

/**
 * A whole number within bounds, in decimal digits. There is always an upper bound: a number with a digit too many
 * is a mistake.
 */
export function WholeNumber(least: number, most = LARGEST): PropertyDecorator {
  const options = { message: `$property must be a whole number from ${least} to ${most}` };
  return all(
    // `Number` would read a blank as 0, and a port of 0 means any free port.
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    ),
    IsInt(options),
    Min(least, options),
    Max(most, options),
  );
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Splits a list at its commas; spaces around the parts are ignored. */
export function CommaList(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : value,
  );
}

/** A rule that may depend on other settings; `message` follows the setting's name and never shows a value. */
export function Rule(
  message: string,
  holds: (value: unknown, settings: never) => boolean,
): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: message,
      target: target.constructor,
      propertyName: String(property),
      options: { message: `$property ${message}` },
      validator: {
        validate: (value: unknown, { object }: ValidationArguments) => holds(value, object as never),
      },
    });
  };
}

/**
 * An absolute http or https URL without anything that could contain a secret, and to which a path can be appended.
 */
export function isPlainHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  );
}

/** Whether it is the URL of an HTTP proxy, which may hold credentials. */
export function isHttpProxyUrl(value: unknown): boolean {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
}

/** An origin exactly as a browser sends it: scheme, host, port, and no path. */
export function isOrigin(value: unknown): boolean {
  return isPlainHttpUrl(value) && new URL(value).origin === value;
}

/** The path of a readable file, or not set. */
export function ReadableFile(): PropertyDecorator {
  return optional('must be the path of a readable file', isReadableFile);
}

/** The path of a readable folder, or not set. */
export function ReadableFolder(): PropertyDecorator {
  return optional('must be the path of a readable folder', isReadableFolder);
}

export function isReadableFile(path: unknown): boolean {
  return isReadable(path, constants.R_OK, (stats) => stats.isFile());
}

export function isReadableFolder(path: unknown): boolean {
  return isReadable(path, constants.R_OK | constants.X_OK, (stats) => stats.isDirectory());
}

type Stats = ReturnType<typeof statSync>;

function isReadable(path: unknown, mode: number, isKind: (stats: NonNullable<Stats>) => boolean): boolean {
  if (typeof path !== 'string') return false;
  try {
    accessSync(path, mode);
    return isKind(statSync(path));
  } catch {
    return false;
  }
}

function optional(message: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    Rule(message, holds)(target, property);
  };
}
