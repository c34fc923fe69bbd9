import { describe, expect, it } from 'vitest';
import { formatTraceParent, parseTraceParent } from '../../src/logging/trace-parent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it.each([
    ['sampled', `00-${TRACE}-${SPAN}-01`, true],
    ['not sampled', `00-${TRACE}-${SPAN}-00`, false],
    ['with other flags', `00-${TRACE}-${SPAN}-03`, true],
    ['of a later version with more to it', `01-${TRACE}-${SPAN}-01-more`, true],
  ])('is read when it is %s', (_title, header, isSampled) => {
    expect(parseTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    ['missing', undefined],
    ['sent twice', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
    ['joined from two', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['of the version that will never be', `ff-${TRACE}-${SPAN}-01`],
    ['longer than its version allows', `00-${TRACE}-${SPAN}-01-more`],
    ['of no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['of no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['something else', 'CANARY'],
  ])('starts a new trace when it is %s', (_title, header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });

  it('is written as it was read', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    const parent = parseTraceParent(header);

    expect(parent && formatTraceParent(parent)).toBe(header);
  });
});
