import { Histogram, type Registry } from 'prom-client';
import { type PlatformCall } from '../../client/index.js';
import { DURATION_BUCKETS } from './duration-buckets.js';

/** The platform operations that the service uses (spec, "Endpoints"); any other counts as `other`. */
const OPERATIONS: readonly string[] = [
  'POST auth/login',
  'POST auth/delegate',
  'POST auth/logout',
  'PUT sessions',
  'GET sessions',
  'GET sessions/userInfo',
  'GET projects',
];

/** An observer that counts and times the calls to the platform, redirects and retries included. */
export function measurePlatformCalls(registry: Registry): (call: PlatformCall) => void {
  const durations = new Histogram({
    name: 'portico_platform_call_duration_seconds',
    help: 'Duration of one call to the platform; the status is `none` without an answer.',
    labelNames: ['operation', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return ({ method, path, status, milliseconds }) => {
    const operation = `${method} ${path}`;
    const labels = {
      operation: OPERATIONS.includes(operation) ? operation : 'other',
      status: status ?? 'none',
    };
    durations.observe(labels, milliseconds / 1000);
  };
}
