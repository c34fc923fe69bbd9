import type { Attributes, Span } from '@opentelemetry/api';
import { type PlatformClientOptions } from 'portico/client';
import { type SessionStoreKind } from '../config/session-settings.js';
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

/** `db.system.name` of each kind of session store. */
const STORE_SYSTEMS: Readonly<Record<SessionStoreKind, string>> = { embedded: 'sqlite', redis: 'redis' };

/** Makes spans of the calls to the platform and of the steps around them. */
export function tracingObserver(
  tracing: Tracing,
  settings: Pick<Settings, 'OTEL_PROPAGATE_TO_PLATFORM' | 'PLATFORM_BASE_URL' | 'SESSION_STORE'>,
): Observer {
  const storeSystem = STORE_SYSTEMS[settings.SESSION_STORE];
  return {
    platformCall: platformCallSpans(tracing, settings),
    step: ({ kind, operation }, work) => {
      // Probes and what is done in the background ask the stores again and again: each would be a trace of its own.
      if (kind !== 'session' && tracing.traceId === undefined) return work();
      return tracing.run(
        `${NAMES[kind]} ${operation}`,
        {
          place: kind === 'session' ? 'internal' : 'client',
          ...(kind === 'session_store' && {
            attributes: { 'db.system.name': storeSystem, 'db.operation.name': operation },
          }),
        },
        work,
      );
    },
  };
}

/**
 * A span for each call to the platform, with its redirects and its retry as events.
 *
 * With `OTEL_PROPAGATE_TO_PLATFORM`, `traceparent` is sent to the platform, for one that continues traces.
 */
function platformCallSpans(
  tracing: Tracing,
  {
    OTEL_PROPAGATE_TO_PLATFORM: propagates,
    PLATFORM_BASE_URL: baseUrl,
  }: Pick<Settings, 'OTEL_PROPAGATE_TO_PLATFORM' | 'PLATFORM_BASE_URL'>,
): NonNullable<PlatformClientOptions['observeCall']> {
  return (call) => {
    const operation = platformOperation(call);
    const span = tracing.begin(operation, {
      place: 'client',
      attributes: {
        'http.request.method': call.method,
        'portico.platform.operation': operation,
        ...addressOf(baseUrl, operation),
      },
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

/** Where the platform is, by the settings. The path is that of the operation: a real one may hold ids. */
function addressOf(baseUrl: string | undefined, operation: string): Attributes {
  if (baseUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  const [, path = ''] = operation.split(' ');
  return {
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'url.full': `${baseUrl.replace(/\/$/, '')}/${path}`,
  };
}

/** The place of a span in its trace, for the next service. */
function placeOf(span: Span): TraceParent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & 1) === 1 };
}
