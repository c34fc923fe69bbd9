import { authenticate } from './directory.js';
import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer, emptyAnswer, jsonAnswer } from './answer.js';
import { type Call, headerOf } from './call.js';
import { identityTokenRefused, invalidInput } from './errors.js';
import { parseFields, requiredInteger, requiredNonEmptyText } from './request-body.js';

const DELEGATED = -1;

/** `POST auth/login` */
export function login(platform: Platform, call: Call): Answer {
  const account = authenticate(parseFields(call.body, call.headers));
  return sessionAnswer(platform, platform.sessions.open(account));
}

/** `POST auth/delegate`: a new web session on the back-end session for which the identity token was created. */
export function delegate(platform: Platform, call: Call): Answer {
  const fields = parseFields(call.body, call.headers);
  if (requiredInteger(fields, 'loginMode') !== DELEGATED) throw invalidInput('Field loginMode must be -1.');
  const iServerSession = platform.identityTokens.use(requiredNonEmptyText(fields, 'identityToken'));
  if (!iServerSession || !platform.sessions.isOpen(iServerSession)) throw identityTokenRefused();
  return sessionAnswer(platform, platform.sessions.join(iServerSession));
}

/** `POST auth/logout` */
export function logout(platform: Platform, _call: Call, session: WebSession): Answer {
  platform.sessions.end(session.iServerSession);
  return emptyAnswer(204);
}

/** Hands out the token and the cookie of a new session. */
function sessionAnswer({ settings }: Platform, { token, cookie, iServerSession }: WebSession): Answer {
  const headers = {
    [settings.authTokenHeader]: token,
    // Not Secure: clients do not send a Secure cookie back over plain http.
    'set-cookie': `JSESSIONID=${cookie}; Path=${settings.cookiePath}; HttpOnly`,
  };
  return { ...emptyAnswer(204, headers), delayMs: iServerSession.account.delayMs };
}

/** `POST auth/identityToken` */
export function createIdentityToken(platform: Platform, _call: Call, session: WebSession): Answer {
  const token = platform.identityTokens.create(session.iServerSession);
  return emptyAnswer(201, { [platform.settings.identityTokenHeader]: token });
}

/** `GET auth/identityToken`: whether the token in the header can still be used. Does not use it. */
export function checkIdentityToken(platform: Platform, call: Call): Answer {
  const token = headerOf(call, platform.settings.identityTokenHeader);
  const iServerSession = token === undefined ? undefined : platform.identityTokens.find(token);
  if (!iServerSession || !platform.sessions.isOpen(iServerSession)) throw identityTokenRefused();
  return jsonAnswer(200, {});
}
