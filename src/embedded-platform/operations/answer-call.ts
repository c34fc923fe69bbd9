import { type Answer, refusalAnswer, unavailablePage } from '../wire/answer.js';
import { type Call, cookiesOf, headerOf } from '../wire/call.js';
import { internalFault, notFound, Refusal, sessionInvalid } from '../wire/errors.js';
import { type Platform } from '../sessions/platform.js';
import { requireUsableProject } from './project-scope.js';
import { OPEN_ROUTES, SESSION_ROUTES } from './routes.js';
import { type WebSession } from '../sessions/session-table.js';

/** The answer to any call; a refusal is an answer too. */
export function answerCall(platform: Platform, call: Call): Answer {
  return orRefusal(() => {
    const open = OPEN_ROUTES.get(call.operation);
    if (open) return open(platform, call);
    const operate = SESSION_ROUTES.get(call.operation);
    if (!operate) throw notFound();
    const session = requireSession(platform, call);
    const answer = orRefusal(() => {
      return interference(platform, call, session) ?? operate(platform, call, session);
    });
    return { ...answer, delayMs: session.iServerSession.account.delayMs };
  });
}

/** The error payload for whatever was thrown; nothing of an unforeseen error is told. */
export function toRefusalAnswer(error: unknown): Answer {
  return refusalAnswer(error instanceof Refusal ? error : internalFault());
}

function requireSession(platform: Platform, call: Call): WebSession {
  const token = headerOf(call, platform.settings.authTokenHeader);
  const session = token && platform.sessions.find(token, cookiesOf(call, 'JSESSIONID'));
  if (!session) throw sessionInvalid();
  return session;
}

/** What keeps a call of a good session from being carried out, if anything: an answer, or a refusal thrown. */
function interference(platform: Platform, call: Call, session: WebSession): Answer | undefined {
  const { account } = session.iServerSession;
  session.iServerSession.calls += 1;
  if (account.unavailableEvery && session.iServerSession.calls % account.unavailableEvery === 0) {
    return unavailablePage();
  }
  const refusal = account.refusesCalls?.[call.operation];
  if (refusal) throw refusal();
  // Some clients send the header empty when they have no project in mind.
  const projectId = headerOf(call, platform.settings.projectIdHeader);
  if (projectId && !call.operation.includes(' auth/')) requireUsableProject(account, projectId);
  return undefined;
}

function orRefusal(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    return toRefusalAnswer(error);
  }
}
