import { hash, timingSafeEqual } from 'node:crypto';
import { type DocumentNode, Kind, visit } from 'graphql';

/** The request header that carries the secret, in lower case. */
export const FEDERATION_SECRET_HEADER = 'x-federation-secret';

/** The root fields that only a router needs. */
export const FEDERATION_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities']);

/** Whether a request with this secret, or with none, may use the federation fields. */
export type FederationGate = (presented: string | undefined) => boolean;

/**
 * Open to requests with the secret. If no secret is set, open to all, or in production to nobody.
 * Hashes are compared, so that timing reveals nothing, not even the length of the secret.
 */
export function federationGate(secret: string | undefined, production: boolean): FederationGate {
  if (secret === undefined) return () => !production;
  const expected = sha256(secret);
  return (presented) => timingSafeEqual(sha256(presented ?? ''), expected);
}

/**
 * Whether any operation or fragment of the document names a federation field, under any alias.
 * No check that it is a root field: no other field has such a name.
 */
export function asksForFederation(document: DocumentNode): boolean {
  const known = asking.get(document);
  if (known !== undefined) return known;
  let asks = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      asks ||= FEDERATION_FIELDS.has(name.value);
    },
  });
  asking.set(document, asks);
  return asks;
}

/** Documents are parsed once and never change. */
const asking = new WeakMap<DocumentNode, boolean>();

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
