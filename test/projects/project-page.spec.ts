import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { InvalidRequestError, type PlatformProject } from 'portico/client';
import { ProjectOrder } from '../../src/projects/project-order.js';
import { ProjectList } from '../../src/projects/project.model.js';
import { projectPage } from '../../src/projects/project-page.js';
import { type ProjectsArgs } from '../../src/projects/projects.input.js';

const ORDERS = Object.values(ProjectOrder);
const BY_KEY = ORDERS.filter((order) => order !== ProjectOrder.PLATFORM);

const project = fc.record({
  id: fc.uuid(),
  name: fc.oneof(fc.constantFrom('Sales', 'sales', 'Übersicht', ''), fc.string({ maxLength: 8 })),
  status: fc.constantFrom(0, 1, null),
  dateCreated: fc.constantFrom('2015-06-30T21:55:35.000+0000', '2020-01-01', 'never', null),
  dateModified: fc.constantFrom('2015-06-30T21:55:35.000+0000', '2021-01-01', null),
});
const projects = fc.uniqueArray(project, { selector: ({ id }) => id, maxLength: 30 });

const page = (
  list: readonly PlatformProject[],
  args: Partial<ProjectsArgs>,
): ReturnType<typeof projectPage> =>
  projectPage(new ProjectList(list), { first: 50, orderBy: ProjectOrder.PLATFORM, ...args });
const idsOf = ({ nodes }: ReturnType<typeof projectPage>): string[] => nodes.map(({ id }) => id);

/** The ids of all pages in turn. */
function allPages(list: readonly PlatformProject[], args: Partial<ProjectsArgs>): string[] {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { pageInfo, ...rest } = page(list, { ...args, ...(after !== undefined && { after }) });
    ids.push(...idsOf({ pageInfo, ...rest }));
    if (!pageInfo.hasNextPage) return ids;
    after = pageInfo.endCursor;
  }
}

describe('a page of projects', () => {
  it('gives each project once, in whatever order and size of pages', () => {
    fc.assert(
      fc.property(
        projects,
        fc.constantFrom(...ORDERS),
        fc.integer({ min: 1, max: 7 }),
        (list, orderBy, first) => {
          const ids = allPages(list, { orderBy, first });
          expect(ids).toEqual(idsOf(page(list, { orderBy, first: 500 })));
          expect([...ids].sort()).toEqual(list.map(({ id }) => id).sort());
        },
      ),
    );
  });

  it('moves nothing by what is added or removed between two pages of an order by a key', () => {
    fc.assert(
      fc.property(
        projects,
        projects,
        fc.constantFrom(...BY_KEY),
        fc.integer({ min: 1, max: 5 }),
        (before, later, orderBy, first) => {
          const { nodes, pageInfo } = page(before, { orderBy, first });
          const last = nodes.at(-1)?.id;
          if (pageInfo.endCursor === undefined) return;
          // The rest of the list, as it would be with no page taken before.
          const whole = idsOf(page([...before, ...later], { orderBy, first: 500 }));
          const after = { orderBy, after: pageInfo.endCursor, first: 500 };
          expect(idsOf(page([...before, ...later], after))).toEqual(
            whole.slice(whole.indexOf(last ?? '') + 1),
          );
          const without = before.filter(({ id }) => id !== last);
          expect(idsOf(page(without, after))).toEqual(idsOf(page(before, after)));
        },
      ),
    );
  });

  it("goes on in the platform's order behind the project of the cursor, and where it stood when it is gone", () => {
    const list = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id }));
    const { endCursor: after } = page(list, { first: 2 }).pageInfo;
    expect(idsOf(page([{ id: 'x', name: 'x' }, ...list], { after }))).toEqual(['c', 'd']);
    expect(
      idsOf(
        page(
          list.filter(({ id }) => id !== 'b'),
          { after },
        ),
      ),
    ).toEqual(['c', 'd']);
    expect(idsOf(page([], { after }))).toEqual([]);
  });

  it('orders by name whatever the case, and by date with the unknown ones at the old end', () => {
    const list = [
      { id: '1', name: 'b', dateCreated: '2020-01-01' },
      { id: '2', name: 'A', dateCreated: null },
      { id: '3', name: 'a', dateCreated: '2015-06-30T21:55:35.000+0000' },
    ];
    expect(idsOf(page(list, { orderBy: ProjectOrder.NAME }))).toEqual(['2', '3', '1']);
    expect(idsOf(page(list, { orderBy: ProjectOrder.NAME_DESC }))).toEqual(['1', '3', '2']);
    expect(idsOf(page(list, { orderBy: ProjectOrder.DATE_CREATED }))).toEqual(['2', '3', '1']);
    expect(idsOf(page(list, { orderBy: ProjectOrder.DATE_CREATED_DESC }))).toEqual(['1', '3', '2']);
  });

  it('filters by a part of the name, the status and the ids together, and counts what matches', () => {
    const list = [
      { id: '1', name: 'Sales North', status: 0 },
      { id: '2', name: 'sales south', status: 1 },
      { id: '3', name: 'Finance', status: 0 },
    ];
    const filtered = (filter: ProjectsArgs['filter'], first = 50): ReturnType<typeof projectPage> =>
      page(list, { filter, first });
    expect(idsOf(filtered({ nameContains: 'SALES' }))).toEqual(['1', '2']);
    expect(idsOf(filtered({ nameContains: 'SALES', status: 1 }))).toEqual(['2']);
    expect(idsOf(filtered({ ids: ['3', '1', 'unknown'] }))).toEqual(['1', '3']);
    expect(idsOf(filtered({ ids: [] }))).toEqual([]);
    expect(idsOf(filtered({ nameContains: null, status: null, ids: null }))).toHaveLength(3);
    expect(filtered({ status: 0 }, 1)).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    expect(filtered(null, 0)).toMatchObject({
      totalCount: 3,
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, endCursor: undefined },
    });
  });

  it.each([
    'x',
    '',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('["PLATFORM",1,"a"]').toString('base64url'),
    Buffer.from('["PLATFORM","-1","a"]').toString('base64url'),
    Buffer.from('["NAME","a","a"]').toString('base64url'),
  ])('refuses %j, which is no cursor of its order', (after) => {
    expect(() => page([{ id: 'a', name: 'a' }], { after })).toThrow(InvalidRequestError);
  });

  it('has cursors that fit into a request however long the names are', () => {
    const list = ['a', 'b'].map((id) => ({ id, name: 'é'.repeat(50_000) + id }));
    const { endCursor = '' } = page(list, { orderBy: ProjectOrder.NAME, first: 1 }).pageInfo;
    expect(endCursor.length).toBeLessThan(1024);
    expect(idsOf(page(list, { orderBy: ProjectOrder.NAME, after: endCursor }))).toEqual(['b']);
  });
});
