import {
  accountDisabled,
  accountLocked,
  backEndUnreachable,
  passwordExpired,
  privilegeMissing,
  type Refusal,
  serverSessionLimitReached,
  userSessionLimitReached,
} from './errors.js';
import { DEMO_PROJECTS, MANY_PROJECTS, type Project, PUBLIC_PROJECTS, TWIN_PROJECTS } from './projects.js';
import { stableId } from './ids.js';

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
  /** Why a call is refused although its session is valid, by method and path. */
  readonly refusesCall?: (operation: string) => Refusal | undefined;
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

/** One account for each failure that a front end should be tried against. */
export const SCENARIO_ACCOUNTS = [
  account('expired-password', 'Erin Expired', 'login refused: the password has expired', {
    refusesLogin: passwordExpired,
  }),
  account('locked', 'Luca Locked', 'login refused: the account is locked', { refusesLogin: accountLocked }),
  account('disabled', 'Dale Disabled', 'login refused: the account is disabled', {
    refusesLogin: accountDisabled,
  }),
  account('server-full', 'Sasha Serverfull', 'login refused: the server has too many sessions', {
    refusesLogin: serverSessionLimitReached,
  }),
  account('no-privileges', 'Nora Noprivileges', 'projects refused: a privilege is missing', {
    refusesCall: (operation) => (operation === 'GET projects' ? privilegeMissing() : undefined),
  }),
  account('session-limit', 'Sam Sessionlimit', 'calls within a project refused: too many sessions', {
    refusesProjectCalls: userSessionLimitReached,
  }),
  account('short-session', 'Shay Shortsession', 'the session times out after 5 idle seconds', {
    idleSeconds: 5,
  }),
  account('slow', 'Sol Slow', 'every answer is 2 seconds late', { delayMs: 2000 }),
  account('flaky', 'Fay Flaky', 'every third call of a session gets a 503 without JSON', {
    unavailableEvery: 3,
  }),
  account('backend-down', 'Bo Backenddown', 'login and logout work, the rest: back end unreachable', {
    refusesCall: (operation) => (operation === 'POST auth/logout' ? undefined : backEndUnreachable()),
  }),
  account('many-projects', 'Mika Manyprojects', '5,000 projects', { projects: MANY_PROJECTS }),
  account('twin-projects', 'Toni Twinprojects', 'two projects with the same name', {
    projects: TWIN_PROJECTS,
  }),
];
