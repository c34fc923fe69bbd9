import { hash, timingSafeEqual } from 'node:crypto';

/** The request header that carries the secret, in lower case. */
export const FEDERATION_SECRET_HEADER = 'x-federation-secret';

/** The root fields that only a router needs. */
export const FEDERATION_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities']);

/** Whether the headers of a request, by their names in lower case, are those of the graph's router. */
export type RouterCheck = (headers: Readonly<Record<string, unknown>>) => boolean;

/**
 * A router is known by the secret; if none is set, no request comes from one, and there is nothing to check. Hashes
 * are compared, so that timing reveals nothing, not even the length of the secret.
 */
export function routerCheck(secret: string | undefined): RouterCheck | undefined {
  if (secret === undefined) return undefined;
  const expected = sha256(secret);
  return ({ [FEDERATION_SECRET_HEADER]: presented }) =>
    typeof presented === 'string' && timingSafeEqual(sha256(presented), expected);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
