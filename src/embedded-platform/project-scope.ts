import { type Account } from './accounts.js';
import { projectForbidden, projectNotFound, projectNotLoaded } from './errors.js';
import { isLoaded } from './project.js';
import { isProject } from './project-lists.js';

/** Refuses a call that names a project in which this user cannot work. */
export function requireUsableProject(account: Account, projectId: string): void {
  if (account.refusesProjects) throw account.refusesProjects();
  const project = account.projects.find(({ id }) => id === projectId);
  if (!project) throw isProject(projectId) ? projectForbidden() : projectNotFound();
  if (!isLoaded(project)) throw projectNotLoaded();
}
