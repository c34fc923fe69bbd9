import { stableId } from './ids.js';

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

const OWNERS = {
  administrator: { name: 'Administrator', id: stableId('Administrator') },
  ines: { name: 'Ines Duarte', id: stableId('Ines Duarte') },
  tomas: { name: 'Tomáš Novák', id: stableId('Tomáš Novák') },
};

/** A dozen projects: most complete and active, some idle or offline, some with only the fields of older servers. */
export const DEMO_PROJECTS: readonly Project[] = [
  {
    acg: 255,
    id: stableId('Retail Sales'),
    name: 'Retail Sales',
    alias: '',
    description: 'Revenue, margin and baskets of all stores, by day and item.',
    status: 0,
    dateCreated: '2015-06-30T21:55:35.000+0000',
    dateModified: '2024-09-12T07:30:11.000+0000',
    owner: OWNERS.administrator,
  },
  {
    acg: 255,
    id: stableId('Finance and Planning'),
    name: 'Finance and Planning',
    alias: 'finance',
    description: 'Ledger, budget and forecast.',
    status: 0,
    dateCreated: '2016-02-11T09:12:00.000+0000',
    dateModified: '2024-10-01T13:05:44.000+0000',
    owner: OWNERS.ines,
  },
  {
    acg: 255,
    id: stableId('Supply Chain'),
    name: 'Supply Chain',
    alias: '',
    description: 'Orders, stock and deliveries.',
    status: 0,
    dateCreated: '2016-08-23T14:41:19.000+0000',
    dateModified: '2024-08-30T05:00:02.000+0000',
    owner: OWNERS.tomas,
  },
  {
    acg: 199,
    id: stableId('Customer Insight'),
    name: 'Customer Insight',
    alias: 'crm',
    description: 'Segments, loyalty and campaigns.',
    status: 1,
    dateCreated: '2017-01-05T10:00:00.000+0000',
    dateModified: '2024-07-19T11:48:20.000+0000',
    owner: OWNERS.ines,
  },
  {
    acg: 255,
    id: stableId('Human Resources'),
    name: 'Human Resources',
    alias: '',
    description: '',
    status: 0,
    dateCreated: '2017-05-16T08:25:31.000+0000',
    dateModified: '2024-06-03T17:10:00.000+0000',
    owner: OWNERS.administrator,
  },
  {
    acg: 255,
    id: stableId('Store Operations'),
    name: 'Store Operations',
    alias: '',
    description: 'Opening hours, staffing and shrinkage.',
    status: 0,
    dateCreated: '2018-03-27T12:00:45.000+0000',
    dateModified: '2024-10-22T06:15:00.000+0000',
    owner: OWNERS.tomas,
  },
  {
    acg: 255,
    id: stableId('Ventes Europe – été'),
    name: 'Ventes Europe – été',
    alias: '',
    description: 'Résultats des régions pour la saison d’été.',
    status: 0,
    dateCreated: '2019-04-02T07:07:07.000+0000',
    dateModified: '2024-09-30T22:59:59.000+0000',
    owner: OWNERS.ines,
  },
  {
    id: stableId('Weather and Events'),
    name: 'Weather and Events',
    alias: '',
    description: 'Public calendars and weather, for comparison.',
    status: 0,
  },
  {
    acg: 255,
    id: stableId('Platform Analytics'),
    name: 'Platform Analytics',
    alias: '',
    description: 'Usage of the platform itself.',
    status: 0,
    dateCreated: '2019-11-11T11:11:11.000+0000',
    dateModified: '2024-10-25T03:30:00.000+0000',
    owner: OWNERS.administrator,
    platformAnalytics: true,
  },
  {
    acg: 255,
    id: stableId('Quality Reports'),
    name: 'Quality Reports',
    status: 7,
    dateCreated: '2020-09-14T15:20:00.000+0000',
    dateModified: '2023-12-31T23:59:59.000+0000',
  },
  {
    acg: 255,
    id: stableId('Legacy Warehouse'),
    name: 'Legacy Warehouse',
    alias: '',
    description: 'Kept for the auditors; not loaded.',
    status: -1,
    dateCreated: '2009-10-08T18:33:12.000+0000',
    dateModified: '2018-02-01T00:00:00.000+0000',
    owner: OWNERS.administrator,
  },
  {
    id: stableId('Sandbox'),
    name: 'Sandbox',
    status: 0,
    owner: OWNERS.tomas,
  },
];

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
