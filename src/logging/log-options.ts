import { type LoggerOptions } from 'pino';

const SECRETS = [
  'password',
  'apiKey',
  'identityToken',
  'profileKey',
  'handle',
  'token',
  'authorization',
  'cookie',
  'headers',
];

/**
 * What is logged, and how. Errors are written field by field, and requests by {@link logRequests}: no header, no query
 * string, no body and no further property of an error is ever looked at, so nothing secret is there to be redacted.
 * `redact` is a second wall for objects that somebody logs by hand.
 *
 * @param requestId the id of the request that is being served, if any.
 */
export function logOptions(level: string, requestId: () => string | undefined): LoggerOptions {
  return {
    level,
    base: null,
    mixin: () => ({ requestId: requestId() }),
    serializers: {
      err: (error: unknown) =>
        error instanceof Error
          ? { type: error.name, message: error.message, stack: error.stack }
          : { type: typeof error },
    },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
}
