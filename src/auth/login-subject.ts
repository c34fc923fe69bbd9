import { hash } from 'node:crypto';
import { GUEST, type Party } from 'portico/internal';
import { type RequestContext } from '../session/request-context.js';

/** The logins of a network that name an account. */
export const LOGINS = 'logins';

/** What a login is for. A profile, a user and an API key with the same name are counted separately. */
export interface Account {
  readonly kind: 'user' | 'profile' | 'apiKey';
  readonly name: string;
  /** How the platform checks a user's password; it may keep a user of that name in each mode. */
  readonly mode?: string | undefined;
}

/** Who logs in and from where, as the limits of logins count it. */
export interface LoginSubject {
  /**
   * Who a login counts for until it has succeeded: its network. There, the logins by name are one account and the
   * others guests, and those of one name are one session.
   */
  readonly party: Party;
  /** The key under which the failures from the network are counted. */
  readonly network: string;
  /** Its {@link accountKey}; undefined for a login without an account: anonymous, or by identity token. */
  readonly account: string | undefined;
  /** The key of the account within the network: a hash, like that of the account. */
  readonly place: string | undefined;
}

export function loginSubject(
  { requestId, network }: Pick<RequestContext, 'requestId' | 'network'>,
  account: Account | undefined,
): LoginSubject {
  const from = `network:${network}`;
  if (account === undefined) {
    return { party: [network, GUEST, requestId], network: from, account, place: undefined };
  }
  const key = accountKey(account);
  return {
    party: [network, LOGINS, key],
    network: from,
    account: key,
    place: hash('sha256', `${key}@${network}`),
  };
}

/**
 * Identifies an account in its sessions, so that they can share what it may use: a hash, which reveals no name.
 *
 * @param key its {@link accountKey}.
 */
export function sessionAccount(account: Account, key = accountKey(account)): string {
  return hash('sha256', `${account.mode ?? ''} ${key}`, 'base64url');
}

/**
 * The key under which an account's failures are counted: a hash, so that the store holds no names. User names that
 * a platform may treat as equal count as one.
 */
export function accountKey({ kind, name }: Account): string {
  return `${kind}:${hash('sha256', kind === 'user' ? normalizedName(name) : name)}`;
}

/**
 * One spelling for all names that look alike or that a platform may compare as equal: differences in width,
 * ligatures (NFKC), case and invisible characters are removed. Inner white space counts as one space.
 */
export function normalizedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, (character) =>
      /\s/u.test(character) && character !== '\uFEFF' ? ' ' : '',
    )
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim();
}
