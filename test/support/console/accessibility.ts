import axe from 'axe-core';
import { type Page } from 'playwright-core';

/** A fault that axe-core found. */
export interface Fault {
  readonly rule: string;
  readonly impact: string;
  /** A selector of the element. */
  readonly element: string;
  readonly says: string;
}

/** Rules that GraphiQL's own markup breaks, and where: docs/frontend.md lists them. Nothing of ours is excused. */
const OF_GRAPHIQL: readonly (readonly [rule: string, element: RegExp])[] = [
  // A tab is a list item that holds buttons.
  ['nested-interactive', /^\.graphiql-tab/],
  // The field that takes the keys, and scrolls by them, is beside the region and not in it.
  ['scrollable-region-focusable', /\.CodeMirror-scroll$/],
];

/** The critical and serious faults of a page, those of GraphiQL's own markup left out. */
export async function faultsOf(page: Page): Promise<readonly Fault[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const inPage = (globalThis as unknown as { axe: typeof axe }).axe;
    return (await inPage.run({ resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'critical' || impact === 'serious')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, failureSummary }) => ({
        rule: id,
        impact: String(impact),
        element: target.join(' '),
        says: failureSummary?.split('\n')[1]?.trim() ?? '',
      })),
    )
    .filter(
      ({ rule, element }) => !OF_GRAPHIQL.some(([known, where]) => known === rule && where.test(element)),
    );
}
