import { type LoggerOptions } from 'pino';
import { type RequestScope } from './request-scope.js';

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
 * What is logged, and how. Errors are written field by field, and requests by {@link logRequests}: headers, query
 * strings, bodies and other properties of errors are never read, so there is no secret to redact. `redact` is a
 * second line of defense for objects that are logged by hand.
 *
 * @param request the current request, if any.
 */
export function logOptions(level: string, request: RequestScope['request']): LoggerOptions {
  return {
    level,
    base: null,
    mixin: () => ({ requestId: request()?.requestId, traceId: request()?.traceId }),
    serializers: {
      err: (error: unknown) =>
        error instanceof Error
          ? { type: error.name, message: error.message, stack: error.stack }
          : { type: typeof error },
    },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
}
