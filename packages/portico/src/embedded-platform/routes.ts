import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer } from './answer.js';
import { type Call } from './call.js';
import { checkIdentityToken, createIdentityToken, delegate, login, logout } from './login-operations.js';
import { extendSession, listProjects, readSession, readStatus, readUserInfo } from './session-operations.js';

export type OpenOperation = (platform: Platform, call: Call) => Answer;
export type SessionOperation = (platform: Platform, call: Call, session: WebSession) => Answer;

/** A call that needs no session, or one that needs the token and the cookie of a session. */
export type Route = { readonly open: OpenOperation } | { readonly inSession: SessionOperation };

/** Every operation of the platform. Those of docs/embedded-platform.md are the same, in the same order. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['POST auth/login', { open: login }],
  ['POST auth/delegate', { open: delegate }],
  ['POST auth/logout', { inSession: logout }],
  ['PUT sessions', { inSession: extendSession }],
  ['GET sessions', { inSession: readSession }],
  ['GET sessions/userInfo', { inSession: readUserInfo }],
  ['GET projects', { inSession: listProjects }],
  ['GET status', { open: readStatus }],
  ['POST auth/identityToken', { inSession: createIdentityToken }],
  ['GET auth/identityToken', { open: checkIdentityToken }],
]);
