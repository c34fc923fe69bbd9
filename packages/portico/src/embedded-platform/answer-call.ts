import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Answer, toRefusalAnswer, unavailablePage } from './answer.js';
import { type Call, cookiesOf, headerOf } from './call.js';
import { notFound, projectForbidden, projectNotFound, projectNotLoaded, sessionInvalid } from './errors.js';
import { ROUTES, type SessionOperation } from './operations.js';
import { isLoaded, isProject } from './projects.js';

/**
 * The answer to a call.
 *
 * @throws Refusal for an unknown address, for a call without a valid session, and when an operation without a
 *   session refuses.
 */
export function answerCall(platform: Platform, call: Call): Answer {
  const route = ROUTES.get(call.operation);
  if (!route) throw notFound();
  if ('open' in route) return route.open(platform, call);
  const session = requireSession(platform, call);
  const answer = answerInSession(platform, call, session, route.inSession);
  return { ...answer, delayMs: session.iServerSession.account.delayMs };
}

/** @throws Refusal when the call has no valid session. */
export function requireSession(platform: Platform, call: Call): WebSession {
  const session = sessionOf(platform, call);
  if (!session) throw sessionInvalid();
  return session;
}

/** The session of a call; undefined if it has none that is valid. */
export function sessionOf(platform: Platform, call: Call): WebSession | undefined {
  const token = headerOf(call, platform.settings.authTokenHeader);
  return token === undefined ? undefined : platform.sessions.find(token, cookiesOf(call, 'JSESSIONID'));
}

function answerInSession(
  platform: Platform,
  call: Call,
  session: WebSession,
  operation: SessionOperation,
): Answer {
  try {
    return refusalInSession(platform, call, session) ?? operation(platform, call, session);
  } catch (error) {
    return toRefusalAnswer(error);
  }
}

/**
 * What a call of a session is answered in place of what it asks for. A refusal is returned, not thrown, because it is
 * delayed like any other answer of the session.
 */
export function refusalInSession(platform: Platform, call: Call, session: WebSession): Answer | undefined {
  const { iServerSession } = session;
  const { unavailableEvery, refusesCall } = iServerSession.account;
  iServerSession.calls += 1;
  if (unavailableEvery && iServerSession.calls % unavailableEvery === 0) return unavailablePage();
  try {
    const refusal = refusesCall?.(call.operation);
    if (refusal) throw refusal;
    requireUsableProject(platform, call, session);
    return undefined;
  } catch (error) {
    return toRefusalAnswer(error);
  }
}

/**
 * A call is within a project when its header names one; calls below `auth/` never are. Only such calls open a session
 * in the project, so only they are refused when the user has too many of those.
 *
 * @throws Refusal when the call is within a project that this user cannot use.
 */
export function requireUsableProject({ settings }: Platform, call: Call, session: WebSession): void {
  // Some clients send the header empty when they mean no project.
  const projectId = headerOf(call, settings.projectIdHeader);
  if (!projectId || call.operation.includes(' auth/')) return;
  const { projects, refusesProjectCalls } = session.iServerSession.account;
  if (refusesProjectCalls) throw refusesProjectCalls();
  const project = projects.find(({ id }) => id === projectId);
  if (!project) throw isProject(projectId) ? projectForbidden() : projectNotFound();
  if (!isLoaded(project)) throw projectNotLoaded();
}
