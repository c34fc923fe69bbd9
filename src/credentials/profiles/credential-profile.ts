import { optional, rule, wholeNumber } from '../providers/parameters/rules.js';
import { type CredentialSource, SOURCE } from './credential-source.js';

/** A named way to log in without giving anybody a password: which credentials, and who may use them. */
export interface CredentialProfile {
  readonly username?: CredentialSource;
  readonly password?: CredentialSource;
  readonly apiKey?: CredentialSource;
  /** Sent at login; default: the service's own. */
  readonly applicationType?: number;
  /** Hexadecimal SHA-256 of the key that opens the profile. */
  readonly profileKeySha256: string;
  /** How many seconds fetched credentials serve further logins; default 0: each login fetches them. */
  readonly ttlSeconds?: number;
}

export const PROFILE_RULES = {
  username: optional(SOURCE),
  password: optional(SOURCE),
  apiKey: optional(SOURCE),
  applicationType: optional(wholeNumber()),
  profileKeySha256: rule(
    'must be a SHA-256 in hexadecimal',
    (value) => typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value),
  ),
  ttlSeconds: optional(wholeNumber(86_400)),
};

/** Whether the credentials of a profile are those of one login mode (spec, "Endpoints"). */
export function isOneLogin({ username, password, apiKey }: Partial<CredentialProfile>): boolean {
  return apiKey === undefined ? username !== undefined : username === undefined && password === undefined;
}
