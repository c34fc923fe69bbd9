import { describe, expect, it } from 'vitest';
import { AmbiguousProjectNameError, type PlatformProject } from 'portico/client';
import { ProjectList } from '../../src/projects/project.model.js';
import { ProjectOrder } from '../../src/projects/project-order.js';
import { projectPage, searchedForPage } from '../../src/projects/project-page.js';

const COUNT = 1000;

/** A list that counts how often any of its projects is looked at. */
function countedList(): { list: ProjectList; looks: () => number } {
  let looks = 0;
  const projects = Array.from({ length: COUNT }, (_, number) => ({
    id: `id-${number}`,
    get name(): string {
      looks += 1;
      return `Project ${number % 999}`;
    },
    get dateCreated(): string {
      looks += 1;
      return `20${10 + (number % 10)}-01-01`;
    },
  }));
  return { list: new ProjectList(projects), looks: () => looks };
}

describe('a list of projects', () => {
  it('is looked through once for any number of names and ids', () => {
    const { list, looks } = countedList();
    for (let number = 1; number < 999; number += 1) {
      expect(list.idOf(`Project ${number}`)).toBe(`id-${number}`);
      expect(list.idOf(`No project ${number}`)).toBeUndefined();
      expect(list.project(`id-${number}`)?.id).toBe(`id-${number}`);
    }
    expect(() => list.idOf('Project 0')).toThrow(AmbiguousProjectNameError);
    for (const id of [undefined, null, 12, {}, 'id-', '__proto__']) expect(list.project(id)).toBeUndefined();
    expect(looks()).toBe(COUNT);
  });

  it('makes its projects once, for all fields that list them', () => {
    const { list } = countedList();
    expect(list.projects).toBe(list.projects);
    expect(list.projects[3]?.__typename).toBe('Project');
  });

  it.each([ProjectOrder.NAME, ProjectOrder.DATE_CREATED_DESC])('is put in the order %s once', (orderBy) => {
    const { list, looks } = countedList();
    const page = { first: 10, orderBy };
    expect(searchedForPage(list, page)).toBe(COUNT);
    const first = projectPage(list, page);
    expect(looks()).toBe(COUNT);
    expect(searchedForPage(list, page)).toBe(0);
    const { edges, pageInfo } = projectPage(list, { ...page, after: first.pageInfo.endCursor });
    expect(edges).toHaveLength(10);
    expect(pageInfo.hasPreviousPage).toBe(true);
    expect(looks()).toBe(COUNT);
  });

  it('says that a filter has to look at each project, however often', () => {
    const { list } = countedList();
    const page = { first: 10, orderBy: ProjectOrder.PLATFORM };
    list.inOrder(ProjectOrder.PLATFORM);
    for (const filter of [{ nameContains: 'x' }, { status: 0 }, { ids: [] }]) {
      expect(searchedForPage(list, { ...page, filter })).toBe(COUNT);
    }
    for (const filter of [undefined, null, {}, { nameContains: '' }]) {
      expect(searchedForPage(list, { ...page, filter: filter })).toBe(0);
    }
  });

  it('has the size of what was read, where an answer is kept', () => {
    const source = [{ id: '1', name: 'One' }] as PlatformProject[];
    expect(JSON.stringify(new ProjectList(source))).toBe(JSON.stringify(source));
  });
});
