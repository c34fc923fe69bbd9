import { type Account } from '../accounts/accounts.js';
import { projectForbidden, projectNotFound, projectNotLoaded } from '../wire/errors.js';
import { isLoaded } from '../accounts/project.js';
import { isProject } from '../accounts/project-lists.js';

/** Refuses a call that names a project in which this user cannot work. */
export function requireUsableProject(account: Account, projectId: string): void {
  if (account.refusesProjects) throw account.refusesProjects();
  const project = account.projects.find(({ id }) => id === projectId);
  if (!project) throw isProject(projectId) ? projectForbidden() : projectNotFound();
  if (!isLoaded(project)) throw projectNotLoaded();
}
