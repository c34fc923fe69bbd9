/** What the bench platform holds: read by the platform that answers with it, and by the checks of each system's answers. */
export interface BenchProject {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const idOf = (n: number): string => (n * 7919).toString(16).toUpperCase().padStart(32, 'B');

export const PROJECTS: readonly BenchProject[] = Array.from({ length: 100 }, (_, n) => ({
  id: idOf(n + 1),
  name: `Project number ${n}`,
  description: `What project ${n} is for, in one line of text.`,
}));

const OWNER = { name: 'Administrator', id: idOf(9999) };
const USER = { id: idOf(5000), fullName: 'Ada Lovelace', initials: 'AL' };

/** The platform's answers by the start of their requests. */
export const BODIES: ReadonlyMap<string, string> = new Map([
  [
    'GET /api/projects',
    JSON.stringify(
      PROJECTS.map((project) => ({
        acg: 255,
        ...project,
        alias: '',
        status: 0,
        dateCreated: '2015-06-30T21:55:35.000+0000',
        dateModified: '2024-09-12T07:30:11.000+0000',
        owner: OWNER,
      })),
    ),
  ],
  ['GET /api/sessions/userInfo', JSON.stringify(USER)],
  ['GET /api/sessions', JSON.stringify({ ...USER, timeout: 1800, locale: 1033 })],
]);
