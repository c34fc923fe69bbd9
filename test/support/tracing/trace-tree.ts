import { type CollectedSpan } from './collected-span.js';

/** One span with its place in the tree of its trace. */
export interface PlacedSpan {
  readonly span: CollectedSpan;
  readonly depth: number;
}

/** The spans of one trace from the root down: children below their parent, in the order of their beginning. */
export function placedSpans(spans: readonly CollectedSpan[]): PlacedSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const place = (parent: string | undefined, depth: number): PlacedSpan[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === undefined ? !ids.has(parentSpanId ?? '') : parentSpanId === parent,
      )
      .sort((one, other) => Number(one.start - other.start))
      .flatMap((span) => [{ span, depth }, ...place(span.spanId, depth + 1)]);
  return place(undefined, 0);
}

/** The names of the spans, indented by their depth. */
export function traceTree(spans: readonly CollectedSpan[]): string[] {
  return placedSpans(spans).map(({ span, depth }) => `${'  '.repeat(depth)}${span.name}`);
}
