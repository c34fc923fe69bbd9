import { type Answer, emptyAnswer } from '../wire/answer.js';
import { type Call } from '../wire/call.js';
import { authenticate } from '../accounts/directory.js';
import { identityTokenRefused, invalidInput } from '../wire/errors.js';
import { requiredInteger, requiredNonEmptyText } from '../wire/fields.js';
import { type Platform } from '../sessions/platform.js';
import { parseFields } from '../wire/request-body.js';
import { type WebSession } from '../sessions/session-table.js';

const DELEGATED = -1;

/** `POST auth/login` */
export function login(platform: Platform, call: Call): Answer {
  const account = authenticate(parseFields(call.body, call.headers));
  return welcome(platform, platform.sessions.open(account));
}

/** `POST auth/delegate`: a new web session on the back-end session of whoever minted the token. */
export function delegate(platform: Platform, call: Call): Answer {
  const fields = parseFields(call.body, call.headers);
  if (requiredInteger(fields, 'loginMode') !== DELEGATED) throw invalidInput('Field loginMode must be -1.');
  const iServerSession = platform.identityTokens.redeem(requiredNonEmptyText(fields, 'identityToken'));
  if (!iServerSession || !platform.sessions.isOpen(iServerSession)) throw identityTokenRefused();
  return welcome(platform, platform.sessions.join(iServerSession));
}

/** `POST auth/logout` */
export function logout(platform: Platform, _call: Call, session: WebSession): Answer {
  platform.sessions.end(session.iServerSession);
  return emptyAnswer(204);
}

function welcome({ settings }: Platform, { token, cookie, iServerSession }: WebSession): Answer {
  const headers = {
    [settings.authTokenHeader]: token,
    // Not Secure: a cookie so marked never comes back over plain http.
    'set-cookie': `JSESSIONID=${cookie}; Path=${settings.cookiePath}; HttpOnly`,
  };
  return { ...emptyAnswer(204, headers), delayMs: iServerSession.account.delayMs };
}
