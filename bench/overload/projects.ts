const DEEP_LEVELS = 5000;
const HUGE_BYTES = 5 * 1024 * 1024;

const project = (n: number): object => ({
  id: n.toString(16).toUpperCase().padStart(32, 'A'),
  name: `Project number ${n}`,
  description: 'What the project is for, in one line of text.',
  status: 0,
});
const list = (length: number): string => JSON.stringify(Array.from({ length }, (_, n) => project(n)));
const BIG = list(5000);
const HUNDRED = list(100);
const SMALL = list(10);
const HUGE = JSON.stringify([{ ...project(1), description: 'x'.repeat(HUGE_BYTES) }]);
const DEEP = `[{"id":"${'A'.repeat(32)}","name":"deep","raw":${'['.repeat(DEEP_LEVELS)}${']'.repeat(DEEP_LEVELS)}}]`;

/** With all fields of a real platform: 3.2 MB for 9,990 projects. */
export function fullList(length: number): Buffer {
  return Buffer.from(JSON.stringify(Array.from({ length }, (_, n) => fullProject(n))));
}

const fullProject = (n: number): object => ({
  acg: 255,
  ...project(n),
  alias: '',
  dateCreated: '2015-06-30T21:55:35.000+0000',
  dateModified: '2024-09-12T07:30:11.000+0000',
  owner: { name: 'Administrator', id: '54F3D26011D2896560009A8E67019608' },
});

/** The list of a user, by the beginning of the name. */
export function projectsOf(user: string): string {
  if (user.startsWith('big')) return BIG;
  if (user.startsWith('hundred')) return HUNDRED;
  if (user.startsWith('huge')) return HUGE;
  return user.startsWith('deep') ? DEEP : SMALL;
}
