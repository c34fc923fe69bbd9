import {
  accountDisabled,
  accountLocked,
  backEndUnreachable,
  passwordExpired,
  privilegeMissing,
  serverSessionLimitReached,
  userSessionLimitReached,
} from './errors.js';
import { account } from './accounts.js';
import { MANY_PROJECTS, TWIN_PROJECTS } from './project-lists.js';

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
    refusesCalls: { 'GET projects': privilegeMissing },
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
    refusesCalls: {
      'GET projects': backEndUnreachable,
      'GET sessions': backEndUnreachable,
      'PUT sessions': backEndUnreachable,
      'GET sessions/userInfo': backEndUnreachable,
      'POST auth/identityToken': backEndUnreachable,
    },
  }),
  account('many-projects', 'Mika Manyprojects', '5,000 projects', { projects: MANY_PROJECTS }),
  account('twin-projects', 'Toni Twinprojects', 'two projects with the same name', {
    projects: TWIN_PROJECTS,
  }),
];
