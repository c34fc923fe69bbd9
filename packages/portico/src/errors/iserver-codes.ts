import { readFileSync } from 'node:fs';

/**
 * Back-end server codes relevant to sessions and projects: number, constant name, and what a person can do about it.
 */
export const ISERVER_CODES: readonly (readonly [code: number, name: string, advice: string])[] = [
  [-2147216959, 'AUTHEN_E_LOGIN_FAIL', 'The user name or the password is wrong; check both.'],
  [
    -2147216960,
    'AUTHEN_E_LOGIN_FAILED_NEW_PASSWORD_REQD',
    'The account needs a new password; set one, then log in.',
  ],
  [-2147216963, 'AUTHEN_E_LOGIN_FAIL_EXPIRED_PWD', 'The password has expired; change it, then log in.'],
  [-2147216964, 'AUTHEN_E_LOGIN_FAIL_INVALID_PWD', 'The password is wrong; enter it again.'],
  [
    -2147216965,
    'AUTHEN_E_LOGIN_FAIL_ACCOUNT_DISABLED',
    'The account is disabled; ask an administrator to enable it.',
  ],
  [-2147216966, 'AUTHEN_E_LOGIN_FAIL_USERGROUP', 'A user group cannot log in; use the account of a user.'],
  [-2147216962, 'AUTHEN_E_LOGIN_FAIL_MUILTUSER', 'The user name matches several users; use a unique one.'],
  [
    -2147216961,
    'AUTHEN_E_LOGIN_USER_NO_PRIV',
    'The user is not allowed to log in; ask an administrator for the privilege.',
  ],
  [-2147216967, 'AUTHEN_E_USER_NOT_FOUND', 'The user does not exist; check the user name.'],
  [-2147216968, 'AUTHEN_E_REQUIRE_NEW_PWD', 'A new password is required; set one, then log in.'],
  [-2147216970, 'AUTHEN_E_WRONG_PWD', 'The password is wrong; enter it again.'],
  [-2147216971, 'AUTHEN_E_USER_ACCT_REQD', 'A user account is required; log in with one.'],
  [-2147216972, 'AUTHEN_E_PWD_LOCKED', 'The password is locked; ask an administrator to unlock it.'],
  [-2147213785, 'AUTHEN_E_LOGIN_FAIL_CHANGED_PASSWORD', 'The password was changed; log in with the new one.'],
  [
    -2147213784,
    'AUTHEN_E_USER_NO_PRIV',
    'The user lacks a privilege for this task; ask an administrator to grant it.',
  ],
  [-2147213789, 'AUTHEN_E_LOGIN_BAD_TOKEN_STRING', 'The login token is malformed; request a new one.'],
  [
    -2147213792,
    'AUTHEN_E_LOGIN_FAIL_NO_STANDARD_AUTH',
    'Login by user name and password is disabled; use an API key or a delegated identity.',
  ],
  [
    -2147213402,
    'AUTHEN_E_OPEN_TOO_MANY_PROJECTS',
    'Too many projects are open; close some sessions, then try again.',
  ],
  [
    -2147212462,
    'AUTHEN_E_LOGIN_FAIL_INTEGRATED',
    'Integrated authentication failed; check the single sign-on account.',
  ],
  [
    -2147212488,
    'AUTHEN_NOT_ALLOW_LOGIN_FOR_NOT_LINKED',
    'The account is not linked to a platform user; ask an administrator to link it.',
  ],
  [
    -2147212489,
    'AUTHEN_NOT_TRUSTED_WEB_SERVER',
    'The back end does not trust this web server; ask an administrator to set up the trust.',
  ],
  [-2147202285, 'AUTHEN_E_LOGIN_CANNOT_FIND_USER', 'The user does not exist; check the user name.'],
  [-2147202286, 'AUTHEN_E_LOGIN_PASSWORD_FAIL', 'The password is wrong; enter it again.'],
  [
    -2147202287,
    'AUTHEN_E_USER_LOCKED_EXCEED_FAIL_ATTEPTS',
    'The account is locked after too many failed logins; ask an administrator to unlock it.',
  ],
  [-2147202288, 'AUTHEN_E_LOGIN_EMPTY_USERNAME', 'The user name is empty; enter one.'],
  [-2147202292, 'AUTHEN_E_SECOND_FACTOR_AUTH_FAIL', 'The second factor was rejected; try it again.'],
  [-2147202291, 'AUTHEN_E_USHER_QR_CODE_LOGIN_FAIL', 'The badge login was rejected; scan the code again.'],
  [
    -2147072513,
    'MSI_E_EXCEED_MAX_FAILED_LOGIN',
    'There were too many failed logins; wait, or ask an administrator to unlock the account.',
  ],
  [-2147180957, 'MSI_PASSWORDPOLICY_VIOLATION', 'The password does not meet the policy; choose another.'],
  [
    -2147214578,
    'SEC_E_NO_ACCESS_TO_PROJECT',
    'The user has no access to this project; ask an administrator for it.',
  ],
  [-2147214579, 'SEC_E_ACCESS_DENIED', 'Access to the object is denied; ask its owner for permission.'],
  [-2147214568, 'SEC_E_USER_ACCESS_DENIED', 'The user lacks permission on the object; ask its owner for it.'],
  [-2147205002, 'SDK_E_PRIVILEGE_MISSING', 'The user lacks a privilege; ask an administrator to grant it.'],
  [
    -2147204978,
    'SDK_E_NO_TRUST_TOKEN',
    'The trust token is missing; ask an administrator to set up the trust.',
  ],
  [
    -2147072486,
    'E_MSI_MAX_PROJ_LOGIN_PERUSER_EXCEEDED',
    'The user has too many sessions in this project; log out of some, then try again.',
  ],
  [-2147209052, 'E_MSI_MAX_PROJ_LOGIN_EXCEEDED', 'The project has too many sessions; try again later.'],
  [-2147073423, 'MSI_E_MAX_SESSION_EXCEEDED', 'The back end has too many sessions; try again later.'],
  [-2147073424, 'MSI_E_MAX_USER_EXCEEDED', 'The back end has too many users; try again later.'],
  [
    -2147209151,
    'E_MSI_PROJECT_NOT_FOUND',
    'The project is not loaded or is idle; ask an administrator to load it.',
  ],
  [-2147209200, 'MSI_PROJECTNOTFOUND_ERROR', 'The project was not found; check its id.'],
  [-2147209192, 'MSI_PROJECTIDLE_ERROR', 'The project is idle; ask an administrator to resume it.'],
  [-2147209177, 'MSI_PROJECTOFFLINE_ERROR', 'The project is offline; ask an administrator to load it.'],
  [-2147209183, 'E_MSI_PROJECT_OFFLINE', 'The project is offline; ask an administrator to load it.'],
  [-2147203638, 'E_MSI_PROJECT_DELETED', 'The project was deleted; choose another.'],
  [-2147206924, 'MSI_INVALID_SESSION_ID', 'The back-end session is no longer valid; log in again.'],
  [
    -2147025402,
    'MSI_REQUEST_INVALID_SESSION_ID',
    'The request names a session that is no longer valid; log in again.',
  ],
  [-2147201023, 'MWS_E_INACTIVE_SESSION', 'The web session was inactive for too long; log in again.'],
  [-2147200982, 'MWS_E_SESSION_CHK_FAILED', 'The web session could not be verified; log in again.'],
  [-2147200943, 'MWS_E_SESSION_NOT_CREATED', 'The web session could not be created; try to log in again.'],
  [-2147156954, 'DSSCOM_E_SESSION_ID_NOT_PROVIDED', 'The request names no session; log in first.'],
  [-2147207418, 'E_MSI_UNKNOWN_HOST', 'The host of the back end is unknown; tell an administrator.'],
  [-2147207419, 'E_MSI_CONNECT_FAILED', 'The back end cannot be reached; try again later.'],
  [-2147204465, 'E_MSI_CONNECT_HOSTDOWN_FAILURE', 'The host of the back end is down; try again later.'],
  [
    -2147208439,
    'E_MSI_DSSNET_CANT_CONNECT_TO_SERVER',
    'The back end does not accept connections; try again later.',
  ],
  [-2147206497, 'MSI_REQUEST_TIMEOUT', 'The back end took too long; try again, or ask for less.'],
  [
    -2147072559,
    'E_ISERVER_LICENCE_EXPIRED',
    'The license of the back end has expired; tell an administrator.',
  ],
  [
    -2147204469,
    'MSI_E_LICENSE_OUT_OF_COMPLIANCE',
    'The back end is out of license compliance; tell an administrator.',
  ],
  [
    -2147025400,
    'MSI_REQUEST_UNAUTHORIZED',
    'The back end did not authorize the request; log in with more rights.',
  ],
  [-2147025421, 'MSI_E_JWT_TOKEN_INVALID_JWT', 'The identity token is not a valid JWT; request a new one.'],
  [-2147025428, 'MSI_E_OIDC_TOKEN_INVALID_JWT', 'The OpenID Connect token is not a valid JWT; log in again.'],
];

/** Messages by back-end code, with the code as decimal text. */
export type IServerMessages = ReadonlyMap<string, string>;

/**
 * Additional messages: `{"-2147216959": "text"}`, or the path of a JSON file with such an object.
 * @example
 * const iserverMessages: IServerMessageSource = { '-2147216959': 'The login failed.' };
 * await using client = new PlatformClient({ baseUrl, iserverMessages });
 */
export type IServerMessageSource = string | Readonly<Record<string, string>>;

const KNOWN: IServerMessages = new Map(
  ISERVER_CODES.map(([code, name, advice]) => [String(code), `${advice} (${name})`]),
);

/**
 * The known messages, overridden by the operator's own.
 * @throws TypeError when the file cannot be read or is not an object of messages by integer code
 */
export function readIServerMessages(source: IServerMessageSource | null | undefined): IServerMessages {
  if (source === undefined || source === null) return KNOWN;
  const own: unknown = typeof source === 'string' ? readJson(source) : source;
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new TypeError('iserverMessages must be an object of messages by code.');
  }
  const messages = new Map(KNOWN);
  for (const [code, message] of Object.entries(own)) {
    if (!/^-?\d{1,15}$/.test(code) || typeof message !== 'string' || message === '') {
      throw new TypeError(
        'iserverMessages: each key must be an integer code and each value a non-empty string.',
      );
    }
    messages.set(String(Number(code)), message);
  }
  return messages;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new TypeError(`iserverMessages: the file "${path}" is unusable: ${why}.`, { cause: error });
  }
}
