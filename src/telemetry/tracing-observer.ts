import type { Span } from '@opentelemetry/api';
import { type PlatformClientOptions } from 'portico/client';
import { type Settings } from '../config/settings.js';
import { type Observer, type Step } from '../logging/observation.js';
import { formatTraceParent, type TraceParent } from '../logging/trace-parent.js';
import { platformOperation } from '../platform/platform-operation.js';
import { type Tracing } from './tracing.js';

const NAMES: Readonly<Record<Step['kind'], string>> = {
  session: 'session',
  session_store: 'session store',
  secret_store: 'secret store',
};

/** Makes spans of the calls to the platform and of the steps around them. */
export function tracingObserver(
  tracing: Tracing,
  settings: Pick<Settings, 'OTEL_PROPAGATE_TO_PLATFORM' | 'SESSION_STORE'>,
): Observer {
  const storeSystem = settings.SESSION_STORE === 'redis' ? 'redis' : 'sqlite';
  return {
    platformCall: platformCallSpans(tracing, settings.OTEL_PROPAGATE_TO_PLATFORM),
    step: ({ kind, operation }, work) =>
      tracing.run(
        `${NAMES[kind]} ${operation}`,
        {
          place: kind === 'session' ? 'internal' : 'client',
          ...(kind === 'session_store' && {
            attributes: { 'db.system.name': storeSystem, 'db.operation.name': operation },
          }),
        },
        work,
      ),
  };
}

/**
 * A span for each call to the platform, with its redirects and its retry as events.
 *
 * @param propagates whether `traceparent` is sent to the platform, for one that continues traces.
 */
function platformCallSpans(
  tracing: Tracing,
  propagates: boolean,
): NonNullable<PlatformClientOptions['observeCall']> {
  return (call) => {
    const operation = platformOperation(call);
    const span = tracing.begin(operation, {
      place: 'client',
      attributes: { 'http.request.method': call.method, 'portico.platform.operation': operation },
    });
    return {
      ...(propagates && { headers: { traceparent: formatTraceParent(placeOf(span)) } }),
      redirected: (status) => {
        span.addEvent('redirect', { 'http.response.status_code': status });
      },
      retried: ({ status, error, waitMs }) => {
        span.addEvent('retry', {
          ...(status !== undefined && { 'http.response.status_code': status }),
          ...(error !== undefined && { 'error.type': error }),
          'portico.retry.wait_ms': Math.round(waitMs),
        });
      },
      ended: ({ status }, error) => {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (error !== undefined) tracing.fail(span, error);
        else if (status !== undefined && status >= 400) tracing.fail(span, String(status));
        span.end();
      },
    };
  };
}

/** The place of a span in its trace, for the next service. */
function placeOf(span: Span): TraceParent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & 1) === 1 };
}
