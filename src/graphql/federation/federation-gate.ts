import { createHash, timingSafeEqual } from 'node:crypto';
import { type DocumentNode, Kind, visit } from 'graphql';

/** The request header that carries the secret, in lower case. */
export const FEDERATION_SECRET_HEADER = 'x-federation-secret';

/** The root fields that only a router needs. */
export const FEDERATION_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities']);

/** Tells whether a request with this secret, or with none, may use the federation fields. */
export type FederationGate = (presented: string | undefined) => boolean;

/**
 * Open to the bearer of the secret; without a secret open to all, in production to nobody.
 * Hashes are compared, so that the time it takes tells nothing, not even the length.
 */
export function federationGate(secret: string | undefined, production: boolean): FederationGate {
  if (secret === undefined) return () => !production;
  const expected = sha256(secret);
  return (presented) => timingSafeEqual(sha256(presented ?? ''), expected);
}

/**
 * Whether any operation or fragment of the document names a federation field, under whatever alias.
 * That it is a root field is not asked: there is no other field of such a name.
 */
export function asksForFederation(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      asks ||= FEDERATION_FIELDS.has(name.value);
    },
  });
  return asks;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
