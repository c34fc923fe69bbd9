/** What a guest does to the service: made by a row, done by a process of its own. */
export type Plan = Guests | Logins | Pipelines | SlowSenders;

/** Anonymous sessions, opened beforehand; each sends a query so many times at once. */
export interface Guests {
  readonly kind: 'guests';
  readonly sessions: number;
  readonly requests: number;
  readonly query: string;
  /** Milliseconds after an answer until the same query is sent again; by default it is not. */
  readonly again?: number;
}

/** So many logins are always in flight: anonymous ones, or ones with a wrong password. */
export interface Logins {
  readonly kind: 'logins';
  readonly inFlight: number;
  readonly areWrong: boolean;
}

/** Connections that send so many requests in one go and read no answer. */
export interface Pipelines {
  readonly kind: 'pipelines';
  readonly connections: number;
  readonly requests: number;
  readonly path: string;
}

/** Connections that send a byte a second, half of them in the headers, half in the body, and stay when they are ended. */
export interface SlowSenders {
  readonly kind: 'slow-senders';
  readonly connections: number;
}

/** The argument of the process that attacks. */
export interface Order {
  readonly port: number;
  /** From how many networks the guest comes. */
  readonly networks: number;
  readonly plan: Plan;
}

export const TENANT_ADDRESS = '127.200.8.1';

/** Loopback addresses that have no /16 in common with each other or with anybody else's. */
export function guestAddresses(networks: number): string[] {
  return Array.from({ length: networks }, (_, n) => `127.${10 + n}.7.1`);
}

export function isGuest(address: string): boolean {
  return address.endsWith('.7.1');
}
