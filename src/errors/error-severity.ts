import { type ErrorCode } from 'portico/errors';

/** Codes of a fault of the service, the platform, or a store, which an operator may have to fix. */
const FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  'BACKEND_ERROR',
  'PLATFORM_ERROR',
  'UNKNOWN_PLATFORM_ERROR',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_PROTOCOL',
  'SESSION_STORE_UNAVAILABLE',
  'CREDENTIAL_UNAVAILABLE',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
]);

/** Whether an operator should look at an error with this code; the others are between the caller and the platform. */
export function isFault(code: unknown): boolean {
  return typeof code === 'string' && FAULTS.has(code);
}
