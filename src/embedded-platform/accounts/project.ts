/** A project as `GET projects` lists it. Older servers leave out all but the first six fields. */
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

/** Whether a project can be worked in: a listed project need not be loaded. */
export function isLoaded(project: Project): boolean {
  return project.status >= 0;
}
