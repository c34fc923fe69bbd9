import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer, emptyAnswer, jsonAnswer } from './answer.js';
import { type Call } from './call.js';

const US_ENGLISH = 1033;

/** `PUT sessions` */
export function extendSession(platform: Platform, _call: Call, session: WebSession): Answer {
  platform.sessions.extend(session);
  return emptyAnswer(204);
}

/** `GET sessions`: reading the status extends the session too. */
export function readSession(platform: Platform, call: Call, session: WebSession): Answer {
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
export function readUserInfo(_platform: Platform, call: Call, session: WebSession): Answer {
  const { id, fullName, initials, metadataUser } = session.iServerSession.account;
  const user = { ...(metadataUser && { id }), fullName, initials, metadataUser };
  return jsonAnswer(200, selectFields(user, call.query));
}

/** `GET projects`: all projects of the user, loaded or not. */
export function listProjects(_platform: Platform, call: Call, session: WebSession): Answer {
  const { projects } = session.iServerSession.account;
  return jsonAnswer(
    200,
    projects.map((project) => selectFields(project, call.query)),
  );
}

/** Keeps the top-level fields that `?fields=a,b` names. Without it, or with it empty, keeps all. */
export function selectFields(value: object, query: URLSearchParams): object {
  const names = query.getAll('fields').flatMap((list) => list.split(','));
  const wanted = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  if (wanted.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => wanted.has(name)));
}

/** `GET status`. Below version 11.5.0600 some clients refuse the server or log in a second time. */
export function readStatus({ settings, startedAt }: Platform): Answer {
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
