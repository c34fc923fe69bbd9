/** The place of a request in the trace of its caller (W3C Trace Context, `traceparent`). */
export interface TraceParent {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** 16 lowercase hex digits: the span of the caller that sent the request. */
  readonly spanId: string;
  /** Whether the caller records its part of the trace. */
  readonly isSampled: boolean;
}

const TRACE_PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;

/** Reads the header; undefined where it is missing or not valid, which starts a new trace. */
export function parseTraceParent(header: string | string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACE_PARENT.exec(header.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes the header for the next service. */
export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
