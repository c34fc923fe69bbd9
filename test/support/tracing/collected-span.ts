import { type Decoded } from './protobuf.js';

/** One span as the collector has got it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the root of a trace. */
  readonly parentSpanId: string | undefined;
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Nanoseconds of the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly hasFailed: boolean;
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2;

/** The spans of an `ExportTraceServiceRequest`. */
export function spansOf(request: Decoded): CollectedSpan[] {
  return all(request.resourceSpans).flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(all(resource)[0]?.attributes)['service.name']);
    return all(scopeSpans).flatMap(({ spans }) => all(spans).map((span) => collected(service, span)));
  });
}

function collected(service: string, span: Decoded): CollectedSpan {
  return {
    service,
    name: String(span.name?.[0]),
    traceId: String(span.traceId?.[0]),
    spanId: String(span.spanId?.[0]),
    parentSpanId: span.parentSpanId?.[0] as string | undefined,
    kind: KINDS[Number(span.kind?.[0] ?? 0)] ?? 'unspecified',
    start: span.start?.[0] as bigint,
    end: span.end?.[0] as bigint,
    attributes: attributesOf(span.attributes),
    events: all(span.events).map(({ name, attributes }) => ({
      name: String(name?.[0]),
      attributes: attributesOf(attributes),
    })),
    hasFailed: all(span.status)[0]?.code?.[0] === ERROR,
  };
}

/** The attributes of a point, a span or a resource. */
export function attributesOf(list: readonly unknown[] | undefined): Record<string, unknown> {
  return Object.fromEntries(
    all(list).map(({ key, value }) => [String(key?.[0]), valueOf((value as Decoded[])[0] ?? {})]),
  );
}

function valueOf({ string, bool, int, double, array }: Decoded): unknown {
  if (array !== undefined) return all((array as Decoded[])[0]?.values).map(valueOf);
  return bool === undefined ? (string ?? int ?? double)?.[0] : bool[0] === 1;
}

function all(list: readonly unknown[] | undefined): readonly Decoded[] {
  return (list ?? []) as readonly Decoded[];
}

/** Protobuf's JSON form, as far as it is looked at. */
interface JsonAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface JsonSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly JsonAttribute[];
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly JsonAttribute[] }[];
  readonly status?: { readonly code?: number };
}

/** The same of the JSON form. */
export function spansOfJson(text: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { resource: { attributes: JsonAttribute[] }; scopeSpans: { spans: JsonSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(jsonAttributes(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service,
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        kind: KINDS[span.kind] ?? 'unspecified',
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: jsonAttributes(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({
          name,
          attributes: jsonAttributes(attributes),
        })),
        hasFailed: span.status?.code === ERROR,
      })),
    );
  });
}

function jsonAttributes(list: readonly JsonAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value }) => {
      const [type, content] = Object.entries(value)[0] ?? [];
      return [key, type === 'arrayValue' ? arrayOf(content) : content];
    }),
  );
}

function arrayOf(content: unknown): unknown[] {
  const { values = [] } = content as { values?: Readonly<Record<string, unknown>>[] };
  return values.map((value) => Object.values(value)[0]);
}
