import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer, emptyAnswer, jsonAnswer } from './answer.js';
import { type Call, headerOf } from './call.js';
import { authenticate } from './directory.js';
import { identityTokenRefused, invalidInput } from './errors.js';
import { parseFields, requiredInteger, requiredNonEmptyText } from './request-body.js';

export type OpenOperation = (platform: Platform, call: Call) => Answer;
export type SessionOperation = (platform: Platform, call: Call, session: WebSession) => Answer;

/** A call that needs no session, or one that needs the token and the cookie of a session. */
export type Route = { readonly open: OpenOperation } | { readonly inSession: SessionOperation };

/** Every operation of the platform. Those of its page are the same, in the same order. */
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

const DELEGATED = -1;

/** `POST auth/login` */
function login(platform: Platform, call: Call): Answer {
  const account = authenticate(parseFields(call.body, call.headers));
  return sessionAnswer(platform, platform.sessions.open(account));
}

/** `POST auth/delegate`: a new web session on the back-end session for which the identity token was created. */
function delegate(platform: Platform, call: Call): Answer {
  const fields = parseFields(call.body, call.headers);
  if (requiredInteger(fields, 'loginMode') !== DELEGATED) throw invalidInput('Field loginMode must be -1.');
  const iServerSession = platform.identityTokens.use(requiredNonEmptyText(fields, 'identityToken'));
  if (!iServerSession || !platform.sessions.isOpen(iServerSession)) throw identityTokenRefused();
  return sessionAnswer(platform, platform.sessions.join(iServerSession));
}

/** `POST auth/logout` */
function logout(platform: Platform, _call: Call, session: WebSession): Answer {
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
function createIdentityToken(platform: Platform, _call: Call, session: WebSession): Answer {
  const token = platform.identityTokens.create(session.iServerSession);
  return emptyAnswer(201, { [platform.settings.identityTokenHeader]: token });
}

/** `GET auth/identityToken`: whether the token in the header can still be used. Does not use it. */
function checkIdentityToken(platform: Platform, call: Call): Answer {
  const token = headerOf(call, platform.settings.identityTokenHeader);
  const iServerSession = token === undefined ? undefined : platform.identityTokens.find(token);
  if (!iServerSession || !platform.sessions.isOpen(iServerSession)) throw identityTokenRefused();
  return jsonAnswer(200, {});
}

const US_ENGLISH = 1033;

/** `PUT sessions` */
function extendSession(platform: Platform, _call: Call, session: WebSession): Answer {
  platform.sessions.extend(session);
  return emptyAnswer(204);
}

/** `GET sessions`: reading the status extends the session too. */
function readSession(platform: Platform, call: Call, session: WebSession): Answer {
  platform.sessions.extend(session);
  const { id, fullName, initials } = session.iServerSession.account;
  const status = {
    locale: US_ENGLISH,
    maxSearch: 3,
    workingSet: 10,
    timeout: session.idleSeconds,
    id,
    fullName,
    initials,
  };
  return jsonAnswer(200, selectFields(status, call.query));
}

/** `GET sessions/userInfo` */
function readUserInfo(_platform: Platform, call: Call, session: WebSession): Answer {
  const { id, fullName, initials, metadataUser } = session.iServerSession.account;
  const user = { ...(metadataUser && { id }), fullName, initials, metadataUser };
  return jsonAnswer(200, selectFields(user, call.query));
}

/** `GET projects`: all projects of the user, loaded or not. */
function listProjects(_platform: Platform, call: Call, session: WebSession): Answer {
  const { projects } = session.iServerSession.account;
  return jsonAnswer(
    200,
    projects.map((project) => selectFields(project, call.query)),
  );
}

/** Keeps the top-level fields that `?fields=a,b` names. Without it, or with it empty, keeps all. */
function selectFields(value: object, query: URLSearchParams): object {
  const names = query.getAll('fields').flatMap((list) => list.split(','));
  const wanted = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  if (wanted.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => wanted.has(name)));
}

/** `GET status`. Below version 11.5.0600 some clients refuse the server or log in a second time. */
function readStatus({ settings, startedAt }: Platform): Answer {
  const upTime = settings.now() - startedAt;
  return jsonAnswer(200, {
    upSince: startedAt,
    upTime,
    upTimeText: `${Math.floor(upTime / 1000)} seconds`,
    webVersion: '11.5.0900.00001',
    iServerVersion: '11.5.0900.00001',
    minMobileCompatibleVersion: '11.1.0000.0000',
  });
}
