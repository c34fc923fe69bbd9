import { type Settings } from '../config/settings.js';
import { FEDERATION_SECRET_HEADER, federationGate } from '../graphql/federation/federation-gate.js';
import { type BodyLimits } from '../http/limit-bodies.js';

/** A router requests many entities together; without a secret, no caller can be recognized as a router. */
export function bodyLimits(settings: Settings): BodyLimits {
  const isRouter = federationGate(settings.FEDERATION_SECRET, true);
  const usual = settings.HTTP_BODY_LIMIT_BYTES;
  return {
    usual,
    large: settings.FEDERATION_SECRET === undefined ? usual : settings.FEDERATION_BODY_LIMIT_BYTES,
    mayBeLarge: ({ [FEDERATION_SECRET_HEADER]: secret }) => typeof secret === 'string' && isRouter(secret),
  };
}
