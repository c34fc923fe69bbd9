import { isProject } from '../accounts/project-lists.js';
import { isLoaded } from '../accounts/project.js';
import { type Platform } from '../sessions/platform.js';
import { type WebSession } from '../sessions/session-table.js';
import { type Call, headerOf } from '../wire/call.js';
import { projectForbidden, projectNotFound, projectNotLoaded } from '../wire/errors.js';

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
