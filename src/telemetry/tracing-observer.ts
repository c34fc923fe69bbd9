import { type Settings } from '../config/settings.js';
import { type Observer, type Step } from '../logging/observer.js';
import { platformCallSpans } from './platform-call-spans.js';
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
