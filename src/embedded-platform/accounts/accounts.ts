import { DEMO_PROJECTS } from './demo-projects.js';
import { type Refusal } from '../wire/errors.js';
import { type Project } from './project.js';
import { PUBLIC_PROJECTS } from './project-lists.js';
import { stableId } from './random-ids.js';

/** Somebody who can log in, and how the platform behaves for them. */
export interface Account {
  readonly username: string;
  readonly id: string;
  readonly fullName: string;
  readonly initials: string;
  /** False for a guest, whose user information has no id. */
  readonly metadataUser: boolean;
  /** One phrase for a person who looks for something to try. */
  readonly shows: string;
  readonly projects: readonly Project[];
  /** Why a login with the right credentials is refused all the same. */
  readonly refusesLogin?: () => Refusal;
  /** Calls that are refused though the session is good, by method and path. */
  readonly refusesCalls?: Readonly<Record<string, () => Refusal>>;
  /** Why calls that name a project are refused. */
  readonly refusesProjects?: () => Refusal;
  /** Seconds until an unused session times out, where they differ from the platform's. */
  readonly idleSeconds?: number;
  /** Milliseconds that every answer is late. */
  readonly delayMs?: number;
  /** Every so many calls of a session meet a proxy's 503 page. */
  readonly unavailableEvery?: number;
}

/** An account of the directory with the defaults of a plain user. */
export function account(
  username: string,
  fullName: string,
  shows: string,
  behaviour: Partial<Account> = {},
): Account {
  return {
    username,
    id: stableId(`user ${username}`),
    fullName,
    initials: fullName.replaceAll(/(\p{L})\p{L}*\s*/gu, '$1'),
    metadataUser: true,
    shows,
    projects: DEMO_PROJECTS,
    ...behaviour,
  };
}

export const DEMO_ACCOUNT = account('demo', 'Dana Demo', 'everything works');

/** Who an anonymous login is. */
export const GUEST_ACCOUNT = account('Guest', 'Guest', 'three public projects', {
  metadataUser: false,
  projects: PUBLIC_PROJECTS,
});
