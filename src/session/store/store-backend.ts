import { type Redis } from 'ioredis';
import { hash } from 'node:crypto';
import { type Settings } from '../../config/settings.js';
import { type LoginRecords } from './login-records.js';
import { type SessionStore } from './session-store.js';
import { type StoreHealth } from './store-health.js';

/** What a store is, for an operator. */
export interface StoreDescription {
  /** The product and its version. */
  readonly product: string;
  /** What Redis drops when its memory is full; undefined for other stores, or if Redis does not say. */
  readonly evictionPolicy?: string | undefined;
}

/** Everything that one kind of store keeps. Closing `sessions` closes all of it. */
export interface StoreBackend {
  /** Sessions and their leases. */
  readonly sessions: SessionStore;
  readonly logins: LoginRecords;
  readonly health: StoreHealth;
}

/** The injection token of the {@link StoreBackend}. */
export const StoreBackend = Symbol('StoreBackend');

/** What `<kind>-session-store.ts` exports. */
export interface BackendFile {
  /** Opens the store. What goes wrong with it later is reported to `health`. */
  readonly open: OpenBackend;
  /** Opens the store, writes to it, and leaves nothing behind. */
  readonly tryOut: (settings: Settings) => Promise<StoreDescription>;
  /** What an operator should check when the store cannot be opened or written. */
  readonly fix: string;
}

/** @param redis a client of the application: the store is where that is connected. For Redis only. */
export type OpenBackend = (
  settings: Settings,
  health: StoreHealth,
  redis?: Redis,
) => StoreBackend | Promise<StoreBackend>;

/** What decides how long a session lives and whose it is. */
const DECIDING = [
  'SESSION_IDLE_SECONDS',
  'SESSION_MAX_SECONDS',
  'PLATFORM_BASE_URL',
  'PLATFORM_HEADER_VENDOR',
] as const;

/** Changes when older versions would misunderstand what is in Redis. */
const LAYOUT = 1;
const FINGERPRINT_CHARACTERS = 8;

/** The settings by which an instance treats sessions, each as `NAME=fingerprint`: values may tell what is private. */
export function decidingSettings(settings: Pick<Settings, (typeof DECIDING)[number]>): string {
  const named = DECIDING.map((name) => `${name}=${fingerprint(String(settings[name]))}`);
  return [`layout=${LAYOUT}`, ...named].join(' ');
}

/** The names whose fingerprints differ; none if the other instance has not said anything. */
export function differences(own: string, other: string): string[] {
  if (other === '') return [];
  const theirs = new Map(other.split(' ').map((each) => each.split('=') as [string, string]));
  return own
    .split(' ')
    .map((each) => each.split('=') as [string, string])
    .filter(([name, value]) => theirs.get(name) !== value)
    .map(([name]) => name);
}

function fingerprint(value: string): string {
  return hash('sha256', value).slice(0, FINGERPRINT_CHARACTERS);
}
