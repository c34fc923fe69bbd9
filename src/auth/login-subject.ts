import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { GUEST, type Party } from 'portico/internal';
import { type RequestContext } from '../session/request-context.js';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const IPV6_GROUPS = 8;
/** A caller with one IPv6 address usually has its whole /64. */
const NETWORK_GROUPS = 4;

/** The logins of a network that name an account. */
export const LOGINS = 'logins';

/** Such a name can differ only in case from the form in which it is compared. */
const PLAIN_NAME = /^[!-~]+$/;

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
  /** The key under which the failures from the network of the address are counted. */
  readonly network: string;
  /** Its {@link accountKey}; undefined for a login without an account: anonymous, or by identity token. */
  readonly account: string | undefined;
  /** The key of the account within the network: a hash, like that of the account. */
  readonly place: string | undefined;
}

export function loginSubject(
  { requestId, network, clientAddress }: Pick<RequestContext, 'requestId' | 'network' | 'clientAddress'>,
  account: Account | undefined,
): LoginSubject {
  const origin = networkOf(clientAddress);
  const from = `network:${origin}`;
  if (account === undefined) {
    return { party: [network, GUEST, requestId], network: from, account, place: undefined };
  }
  const key = accountKey(account);
  return {
    party: [network, LOGINS, key],
    network: from,
    account: key,
    place: hash('sha256', `${key}@${origin}`),
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
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
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

/** An IPv4 address, or the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address;
  return isIPv6(plain) ? first64Bits(plain) : plain;
}

function first64Bits(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
