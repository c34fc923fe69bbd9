import { optional, rule, type Rule, wholeNumber } from './providers/rules.js';
import { type CredentialSource, SOURCE } from './credential-source.js';
import { createHash, timingSafeEqual } from 'node:crypto';

const LOGIN_MODES = ['standard', 'ldap'] as const;

export type LoginMode = (typeof LOGIN_MODES)[number];

/** A named login that gives no caller a password: which credentials it uses, and who may use them. */
export interface CredentialProfile {
  readonly username?: CredentialSource;
  readonly password?: CredentialSource;
  readonly apiKey?: CredentialSource;
  /** Where the platform checks user name and password: itself, or its LDAP directory. Default: itself. */
  readonly mode?: LoginMode;
  /** Sent at login; default: the service's own. */
  readonly applicationType?: number;
  /** Hexadecimal SHA-256 of the key that opens the profile. */
  readonly profileKeySha256: string;
  /** How many seconds fetched credentials are used for further logins; default 0: each login fetches them. */
  readonly ttlSeconds?: number;
}

/** LDAP knows users by name and password only. */
const LDAP_CREDENTIALS = rule(
  'ldap needs username and password, and no apiKey',
  (mode, { username, password, apiKey }) =>
    mode !== 'ldap' || (username !== undefined && password !== undefined && apiKey === undefined),
);

const MODE: Rule = (value, siblings) => {
  const problems = rule(`must be one of ${LOGIN_MODES.join(', ')}`, (mode) =>
    LOGIN_MODES.some((known) => known === mode),
  )(value, siblings);
  return problems.length > 0 ? problems : LDAP_CREDENTIALS(value, siblings);
};

export const PROFILE_RULES = {
  username: optional(SOURCE),
  password: optional(SOURCE),
  apiKey: optional(SOURCE),
  mode: optional(MODE),
  applicationType: optional(wholeNumber(65_535)),
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

/** A digest that no known key has. It is compared if there is no profile, so that both cases take the same time. */
const NO_DIGEST = Buffer.alloc(32);

/** Whether a key opens a profile, in a time that depends on neither. Without a profile: never. */
export function isProfileKey(profile: CredentialProfile | undefined, key: string): boolean {
  const expected = profile === undefined ? NO_DIGEST : Buffer.from(profile.profileKeySha256, 'hex');
  const matches = timingSafeEqual(createHash('sha256').update(key).digest(), expected);
  return matches && profile !== undefined;
}
