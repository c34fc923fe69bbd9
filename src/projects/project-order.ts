import { Note } from '../logging/note.js';
import { type PlatformProject } from 'portico/client';
import { platformDate } from './platform-date.js';

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

const ORDERS: Readonly<Record<Exclude<ProjectOrder, ProjectOrder.PLATFORM>, Order>> = {
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

/** All projects in an order. Answers that are shared are sorted once. */
export function ordered(projects: readonly PlatformProject[], order: ProjectOrder): readonly Placed[] {
  const known = sorted.get(projects) ?? new Map<ProjectOrder, readonly Placed[]>();
  sorted.set(projects, known);
  let list = known.get(order);
  if (list === undefined) {
    list = sort(projects, order);
    known.set(order, list);
  }
  return list;
}

const sorted = new Note<readonly PlatformProject[], Map<ProjectOrder, readonly Placed[]>>(
  'projects in order',
);

function sort(projects: readonly PlatformProject[], order: ProjectOrder): readonly Placed[] {
  if (order === ProjectOrder.PLATFORM) {
    return projects.map((project, index) => ({ place: { key: String(index), id: project.id }, project }));
  }
  const { keyOf, descends } = ORDERS[order];
  const placed = projects.map((project) => ({ place: { key: keyOf(project), id: project.id }, project }));
  const upwards = (a: Placed, b: Placed): number => compare(a.place, b.place);
  return placed.sort(descends ? (a, b) => upwards(b, a) : upwards);
}

/**
 * The index of the first project after a place. In an order by a key, added or removed projects shift nothing. The platform's
 * own order continues after the project of the place, or where that project stood if it is gone.
 */
export function indexAfter(list: readonly Placed[], order: ProjectOrder, place: Place): number {
  if (order === ProjectOrder.PLATFORM) {
    const index = list.findIndex(({ project }) => project.id === place.id);
    return index < 0 ? Math.min(Number(place.key), list.length) : index + 1;
  }
  const { descends } = ORDERS[order];
  const behind = list.findIndex((item) => {
    const difference = compare(item.place, place);
    return descends ? difference < 0 : difference > 0;
  });
  return behind < 0 ? list.length : behind;
}

function compare(a: Place, b: Place): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id);
}

/** By code units, so that all instances agree. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
