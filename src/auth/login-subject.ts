import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { GUEST, type Party } from 'portico/client';
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

/**
 * Who a login counts for until it has succeeded: its network. There, the logins by name are one account and the
 * others guests, and those of one name are one session.
 */
export function loginParty(
  { requestId, network }: Pick<RequestContext, 'requestId' | 'network'>,
  account: Account | undefined,
): Party {
  return account === undefined ? [network, GUEST, requestId] : [network, LOGINS, accountKey(account)];
}

/** Identifies an account in its sessions, so that they can share what it may use: a hash, which reveals no name. */
export function sessionAccount(account: Account): string {
  return hash('sha256', `${account.mode ?? ''} ${accountKey(account)}`, 'base64url');
}

/**
 * The key under which an account's failures are counted: a hash, so that the store holds no names. User names that
 * a platform may treat as equal count as one.
 */
export function accountKey({ kind, name }: Account): string {
  return `${kind}:${sha256(kind === 'user' ? normalizedName(name) : name)}`;
}

/** The key of an account within one network. Like {@link accountKey}, it reveals no name. */
export function placeKey(account: Account, address: string): string {
  return sha256(`${accountKey(account)}@${network(address)}`);
}

/** The key under which the failures from an address's network are counted. */
export function networkKey(address: string): string {
  return `network:${network(address)}`;
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
function network(address: string): string {
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

function sha256(text: string): string {
  return hash('sha256', text);
}
