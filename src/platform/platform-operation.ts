import { type PlatformCall } from 'portico/client';

/** The operations that the service makes (spec, "Endpoints"). */
const OPERATIONS: readonly string[] = [
  'POST auth/login',
  'POST auth/delegate',
  'POST auth/logout',
  'POST auth/identityToken',
  'PUT sessions',
  'GET sessions',
  'GET sessions/userInfo',
  'GET projects',
];

/** Names a call for metrics and traces. Any other call counts as `other`, so that a path never becomes a name. */
export function platformOperation({ method, path }: Pick<PlatformCall, 'method' | 'path'>): string {
  const operation = `${method} ${path}`;
  return OPERATIONS.includes(operation) ? operation : 'other';
}
