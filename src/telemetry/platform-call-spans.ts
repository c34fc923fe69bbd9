import { type PlatformClientOptions } from 'portico/client';
import { formatTraceParent } from '../logging/trace-parent.js';
import { platformOperation } from '../platform/platform-operation.js';
import { errorType, placeOf, type Tracing } from './tracing.js';

/**
 * A span for each call to the platform, with its redirects and its retry as events.
 *
 * @param propagates whether `traceparent` is sent to the platform, for one that continues traces.
 */
export function platformCallSpans(
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
        if (error !== undefined) tracing.fail(span, errorType(error));
        else if (status !== undefined && status >= 400) tracing.fail(span, String(status));
        span.end();
      },
    };
  };
}
