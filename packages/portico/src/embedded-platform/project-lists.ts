import { DEMO_PROJECTS } from './demo-projects.js';
import { stableId } from './ids.js';
import { type Project } from './project.js';

const MANY = 5000;
const PUBLIC_NAMES = ['Retail Sales', 'Store Operations', 'Weather and Events'];

/** The projects of the anonymous guest. */
export const PUBLIC_PROJECTS: readonly Project[] = DEMO_PROJECTS.filter(({ name }) =>
  PUBLIC_NAMES.includes(name),
);

/** The demo projects and one more with the name of the first. */
export const TWIN_PROJECTS: readonly Project[] = DEMO_PROJECTS.flatMap((project, index) =>
  index === 0 ? [project, { ...project, id: stableId(`twin of ${project.name}`) }] : [project],
);

/** 5,000 projects with different names. */
export const MANY_PROJECTS: readonly Project[] = Array.from({ length: MANY }, (_, index) => {
  const name = `Project ${String(index + 1).padStart(4, '0')}`;
  return {
    acg: 255,
    id: stableId(name),
    name,
    alias: '',
    description: `One of ${MANY} projects.`,
    status: 0,
    dateCreated: '2021-03-01T08:00:00.000+0000',
    dateModified: '2024-11-04T16:20:00.000+0000',
    owner: { name: 'Administrator', id: stableId('Administrator') },
  };
});

/** Whether the platform has a project with that id, visible to the user or not. */
export function isProject(id: string): boolean {
  return DEMO_PROJECTS.some((project) => project.id === id);
}
