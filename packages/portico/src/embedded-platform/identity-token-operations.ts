import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer, emptyAnswer, jsonAnswer } from './answer.js';
import { type Call, headerOf } from './call.js';
import { identityTokenRefused } from './errors.js';

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
