/** A call that the platform refuses: the status and the error payload of its answer. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly iServerCode?: number,
  ) {
    super(message);
  }
}

const LOGIN_FAILED = -2147216959;
const PASSWORD_EXPIRED = -2147216963;
const ACCOUNT_DISABLED = -2147216965;
const ACCOUNT_LOCKED = -2147202287;
const PRIVILEGE_MISSING = -2147213784;
const NO_ACCESS_TO_PROJECT = -2147214578;
const PROJECT_NOT_LOADED = -2147209151;
const USER_SESSION_LIMIT_REACHED = -2147072486;
const SERVER_SESSION_LIMIT_REACHED = -2147073423;
const CONNECT_TO_SERVER_FAILED = -2147207419;

/**
 * A wrong user, a wrong password and an unknown API key read the same, so that an answer does not reveal which
 * users exist.
 */
export const loginFailed = (): Refusal => new Refusal(401, 'ERR003', 'Login failed.', LOGIN_FAILED);

export const passwordExpired = (): Refusal =>
  new Refusal(401, 'ERR003', 'The password has expired.', PASSWORD_EXPIRED);

export const accountDisabled = (): Refusal =>
  new Refusal(401, 'ERR003', 'The account is disabled.', ACCOUNT_DISABLED);

export const accountLocked = (): Refusal =>
  new Refusal(401, 'ERR003', 'The account is locked after too many failed logins.', ACCOUNT_LOCKED);

export const identityTokenRefused = (): Refusal =>
  new Refusal(401, 'ERR003', 'The identity token is unknown, expired or already used.');

export const notFound = (): Refusal => new Refusal(404, 'ERR004', 'HTTP 404 Not Found');

export const projectNotFound = (): Refusal => new Refusal(404, 'ERR004', 'The project does not exist.');

export const informationMissing = (what: string): Refusal =>
  new Refusal(400, 'ERR005', `Required information is missing: ${what}.`);

export const invalidInput = (why: string): Refusal => new Refusal(400, 'ERR006', why);

export const unsupportedBody = (): Refusal =>
  new Refusal(415, 'ERR006', 'The body must be JSON or a URL-encoded form, and must not be compressed.');

export const bodyTooLarge = (): Refusal => new Refusal(413, 'ERR006', 'The body is larger than 64 KB.');

export const fieldMissing = (field: string): Refusal =>
  new Refusal(400, 'ERR007', `Required field is missing: ${field}.`);

export const sessionInvalid = (): Refusal =>
  new Refusal(401, 'ERR009', 'The session is invalid or has timed out.');

export const backEndUnreachable = (): Refusal =>
  new Refusal(500, 'ERR0013', 'The back-end server cannot be reached.', CONNECT_TO_SERVER_FAILED);

export const privilegeMissing = (): Refusal =>
  new Refusal(403, 'ERR014', 'The user lacks a privilege that this call needs.', PRIVILEGE_MISSING);

export const projectForbidden = (): Refusal =>
  new Refusal(403, 'ERR017', 'The user has no access to the project.', NO_ACCESS_TO_PROJECT);

export const projectNotLoaded = (): Refusal =>
  new Refusal(404, 'ERR001', 'The project is not loaded on any server.', PROJECT_NOT_LOADED);

export const userSessionLimitReached = (): Refusal =>
  new Refusal(500, 'ERR001', 'The user has too many open sessions.', USER_SESSION_LIMIT_REACHED);

export const serverSessionLimitReached = (): Refusal =>
  new Refusal(500, 'ERR001', 'The server has too many open sessions.', SERVER_SESSION_LIMIT_REACHED);

export const internalError = (): Refusal =>
  new Refusal(500, 'ERR001', 'The platform could not process the request.');
