import { Transform, Type } from 'class-transformer';
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

/** Reads `true` and `false`; anything else is left as it is, for the checks to refuse. */
export function TrueOrFalse(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    value === 'true' ? true : value === 'false' ? false : value,
  );
}

/** Reads a path with or without a final slash as the same. */
export function WithoutFinalSlash(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/(?<=.)\/$/, '') : value,
  );
}

/** `true` or `false`, and nothing else. */
export function Flag(): PropertyDecorator {
  return all(TrueOrFalse(), IsBoolean({ message: '$property must be true or false' }));
}

/** A text of a pattern, or absent; `message` follows the setting's name. */
export function Matching(pattern: RegExp, message: string): PropertyDecorator {
  return all(IsOptional(), Matches(pattern, { message: `$property ${message}` }));
}

/** A whole number within the bounds that are given. */
export function WholeNumber(least?: number, most?: number): PropertyDecorator {
  const from =
    least === undefined ? '' : most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  const options = { message: `$property must be a whole number${from}` };
  return all(
    Type(() => Number),
    IsInt(options),
    ...(least === undefined ? [] : [Min(least, options)]),
    ...(most === undefined ? [] : [Max(most, options)]),
  );
}

function all(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Reads a list that is separated by commas, spaces around its parts ignored. */
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

/** A rule that may look at the other settings; `message` follows the setting's name and shows no value. */
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

/** An absolute http or https address with nothing in it that could carry a secret or be cut off by a path. */
export function isPlainHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}

/** An origin exactly as a browser sends it: scheme, host, port, and no path. */
export function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && isPlainHttpUrl(value) && new URL(value).origin === value;
}

/** An address of Redis: `redis://` or `rediss://` (TLS) with a host, and at most user, password, port and database number. */
export function isRedisUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(value);
  return (
    /^rediss?:$/.test(protocol) && hostname !== '' && /^(\/\d{0,3})?$/.test(pathname) && !search && !hash
  );
}
