import { isProject } from './project-lists.js';
import { isLoaded } from './project.js';
import { type Platform } from './platform.js';
import { type WebSession } from './session-table.js';
import { type Call, headerOf } from './call.js';
import { projectForbidden, projectNotFound, projectNotLoaded } from './errors.js';

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
