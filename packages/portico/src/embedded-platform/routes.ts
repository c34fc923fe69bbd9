import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer } from './answer.js';
import { type Call } from './call.js';
import { checkIdentityToken, createIdentityToken, delegate, login, logout } from './login-operations.js';
import { extendSession, listProjects, readSession, readStatus, readUserInfo } from './session-operations.js';

type OpenOperation = (platform: Platform, call: Call) => Answer;
export type SessionOperation = (platform: Platform, call: Call, session: WebSession) => Answer;

/** Calls that need no session. */
export const OPEN_ROUTES: ReadonlyMap<string, OpenOperation> = new Map<string, OpenOperation>([
  ['GET status', readStatus],
  ['POST auth/login', login],
  ['POST auth/delegate', delegate],
  ['GET auth/identityToken', checkIdentityToken],
]);

/** Calls that need the token and the cookie of one session. */
export const SESSION_ROUTES: ReadonlyMap<string, SessionOperation> = new Map<string, SessionOperation>([
  ['POST auth/logout', logout],
  ['POST auth/identityToken', createIdentityToken],
  ['PUT sessions', extendSession],
  ['GET sessions', readSession],
  ['GET sessions/userInfo', readUserInfo],
  ['GET projects', listProjects],
]);
