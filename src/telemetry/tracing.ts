import { AsyncLocalStorage } from 'node:async_hooks';
import type * as OpenTelemetryApi from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { type TraceParent } from '../logging/trace-parent.js';

/** Where a span begins: at a caller's request, at a call to another service, or in between. */
export type SpanPlace = 'server' | 'client' | 'internal';

/** How a span begins. Attributes come from closed sets and settings, never from a request. */
export interface SpanBeginning {
  readonly place?: SpanPlace;
  readonly attributes?: Attributes;
  /** The caller's place in a trace that this span continues. Default: the active span. */
  readonly parent?: TraceParent | undefined;
}

/** Names of error classes are written by developers. A name that looks different is not one. */
const ERROR_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Spans of one service. Each request has an active span of its own. */
export class Tracing {
  readonly #api: typeof OpenTelemetryApi;
  readonly #tracer: Tracer;
  readonly #active = new AsyncLocalStorage<{ span: Span }>();

  /** @param api is given, because a service that exports nothing does not load it. */
  constructor(api: typeof OpenTelemetryApi, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** Starts a span. The caller must end it. */
  begin(name: string, { place = 'internal', attributes = {}, parent }: SpanBeginning = {}): Span {
    const { SpanKind } = this.#api;
    const kind = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }[place];
    return this.#tracer.startSpan(name, { kind, attributes }, this.#below(parent));
  }

  /** Serves a request: the span is active in everything that `serve` begins. */
  enter(span: Span, serve: () => void): void {
    this.#active.run({ span }, serve);
  }

  /** Makes a span the active one for the rest of the request that is being served. */
  activate(span: Span): void {
    const store = this.#active.getStore();
    if (store !== undefined) store.span = span;
  }

  /** The trace of the request that is being served; undefined if it has none. */
  get traceId(): string | undefined {
    return this.#active.getStore()?.span.spanContext().traceId;
  }

  /** Runs work in a span of its own, which fails if the work fails. */
  async run<T>(name: string, beginning: SpanBeginning, work: () => Promise<T>): Promise<T> {
    const span = this.begin(name, beginning);
    try {
      return await this.#active.run({ span }, work);
    } catch (error) {
      this.fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  /**
   * Marks a span as failed.
   *
   * @param reason a code or status, or the error that ended it: the name of its class is recorded, never its message.
   */
  fail(span: Span, reason: unknown): void {
    span.setAttribute('error.type', typeof reason === 'string' ? reason : errorType(reason));
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
  }

  #below(parent: TraceParent | undefined): Context {
    const { ROOT_CONTEXT, trace, TraceFlags } = this.#api;
    if (parent !== undefined) {
      const { traceId, spanId, isSampled } = parent;
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
    }
    const active = this.#active.getStore()?.span;
    return active === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, active);
  }
}

function errorType(error: unknown): string {
  return error instanceof Error && ERROR_NAME.test(error.name) ? error.name : 'Error';
}
