/** A project as `GET projects` lists it. Older servers send only id, name, alias, description and status. */
export interface Project {
  readonly acg?: number;
  readonly id: string;
  readonly name: string;
  readonly alias?: string;
  readonly description?: string;
  /** 0 active, 1 to 7 idle in some way, negative offline. */
  readonly status: number;
  /** Ends in `+0000`, as the platform writes its offsets. */
  readonly dateCreated?: string;
  readonly dateModified?: string;
  readonly owner?: { readonly name: string; readonly id: string };
  readonly platformAnalytics?: boolean;
}

/** Whether calls within the project work: a project may be listed and not be loaded. */
export function isLoaded(project: Project): boolean {
  return project.status >= 0;
}
