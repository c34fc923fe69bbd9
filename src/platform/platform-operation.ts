import { PLATFORM_OPERATIONS, type PlatformCall } from 'portico/client';

const NAMES: ReadonlySet<string> = new Set(
  PLATFORM_OPERATIONS.map(({ method, path }) => `${method} ${path}`),
);

/** Names a call for metrics and traces. Any other call counts as `other`, so that a path never becomes a name. */
export function platformOperation({ method, path }: Pick<PlatformCall, 'method' | 'path'>): string {
  const operation = `${method} ${path}`;
  return NAMES.has(operation) ? operation : 'other';
}
