import { type Refusal } from './errors.js';
import { DEMO_PROJECTS } from './demo-projects.js';
import { stableId } from './ids.js';
import { PUBLIC_PROJECTS } from './project-lists.js';
import { type Project } from './project.js';

/** A user, and how the platform behaves for them. */
export interface Account {
  readonly username: string;
  readonly id: string;
  readonly fullName: string;
  readonly initials: string;
  /** False for a guest, whose user information has no id. */
  readonly metadataUser: boolean;
  /** One phrase that says what the account shows. */
  readonly shows: string;
  readonly projects: readonly Project[];
  /** Why a login is refused although its credentials are right. */
  readonly refusesLogin?: () => Refusal;
  /** Why calls are refused although their session is valid, by method and path. */
  readonly refusesCalls?: Readonly<Record<string, () => Refusal>>;
  /** Why calls within a project are refused. */
  readonly refusesProjectCalls?: () => Refusal;
  /** Seconds until an unused session times out, if different from the platform's. */
  readonly idleSeconds?: number;
  /** Milliseconds by which every answer is delayed. */
  readonly delayMs?: number;
  /** Each call of a session gets a proxy's 503 page if the number of the call is a multiple of this. */
  readonly unavailableEvery?: number;
}

/** An account that behaves like a plain user, except for the given behavior. */
export function account(
  username: string,
  fullName: string,
  shows: string,
  behavior: Partial<Account> = {},
): Account {
  return {
    username,
    id: stableId(`user ${username}`),
    fullName,
    initials: fullName.replaceAll(/(\p{L})\p{L}*\s*/gu, '$1'),
    metadataUser: true,
    shows,
    projects: DEMO_PROJECTS,
    ...behavior,
  };
}

export const DEMO_ACCOUNT = account('demo', 'Dana Demo', 'everything works');

/** The user of an anonymous login. */
export const GUEST_ACCOUNT = account('Guest', 'Guest', 'three public projects', {
  metadataUser: false,
  projects: PUBLIC_PROJECTS,
});
