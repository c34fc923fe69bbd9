import { type PlatformProject } from 'portico/client';
import { platformDate } from '../session/scalars.js';

/** The orders of projects: the platform's own, or by a key, both ways. */
export enum ProjectOrder {
  PLATFORM = 'PLATFORM',
  NAME = 'NAME',
  NAME_DESC = 'NAME_DESC',
  DATE_CREATED = 'DATE_CREATED',
  DATE_CREATED_DESC = 'DATE_CREATED_DESC',
  DATE_MODIFIED = 'DATE_MODIFIED',
  DATE_MODIFIED_DESC = 'DATE_MODIFIED_DESC',
}

/** Longer names are ordered by their beginning: a key is part of each cursor. */
const LONGEST_KEY = 100;

type KeyOf = (project: PlatformProject) => string;

const nameKey: KeyOf = ({ name }) => name.toLowerCase().slice(0, LONGEST_KEY);
const dateKey =
  (field: 'dateCreated' | 'dateModified'): KeyOf =>
  (project) =>
    platformDate(project[field])?.toISOString() ?? '';

interface Order {
  readonly keyOf: KeyOf;
  readonly descends: boolean;
}

/** The orders by a key. */
export type KeyOrder = Exclude<ProjectOrder, ProjectOrder.PLATFORM>;

const ORDERS: Readonly<Record<KeyOrder, Order>> = {
  NAME: { keyOf: nameKey, descends: false },
  NAME_DESC: { keyOf: nameKey, descends: true },
  DATE_CREATED: { keyOf: dateKey('dateCreated'), descends: false },
  DATE_CREATED_DESC: { keyOf: dateKey('dateCreated'), descends: true },
  DATE_MODIFIED: { keyOf: dateKey('dateModified'), descends: false },
  DATE_MODIFIED_DESC: { keyOf: dateKey('dateModified'), descends: true },
};

/** The position of a project in an order. */
export interface Place {
  /** What the order is based on; in the platform's own order, the index in the list. */
  readonly key: string;
  readonly id: string;
}

/** A project with its place. */
export interface Placed {
  readonly place: Place;
  readonly project: PlatformProject;
}

/** All projects in an order. */
export function sorted(projects: readonly PlatformProject[], order: ProjectOrder): readonly Placed[] {
  if (order === ProjectOrder.PLATFORM) {
    return projects.map((project, index) => ({ place: { key: String(index), id: project.id }, project }));
  }
  const { keyOf, descends } = ORDERS[order];
  const placed = projects.map((project) => ({ place: { key: keyOf(project), id: project.id }, project }));
  const upwards = (a: Placed, b: Placed): number => compare(a.place, b.place);
  return placed.sort(descends ? (a, b) => upwards(b, a) : upwards);
}

/** The index of the first project behind a place, in an order by a key: added or removed projects shift nothing. */
export function indexBehind(list: readonly Placed[], order: KeyOrder, place: Place): number {
  const { descends } = ORDERS[order];
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = compare(list[middle]?.place ?? place, place);
    if (descends ? difference < 0 : difference > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function compare(a: Place, b: Place): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id);
}

/** By code units, so that all instances agree. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
