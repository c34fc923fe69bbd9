import { useCallback, useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { SESSION, type Session } from './documents.js';

const tabs = new BroadcastChannel('reports-session');

/** The session, or null without one; undefined until it is known. Other tabs of the page are notified of each change. */
export function useSession() {
  const [{ data, error }, ask] = useQuery({ query: SESSION });
  const refresh = useCallback(() => ask({ requestPolicy: 'network-only' }), [ask]);
  const changed = useCallback(() => {
    refresh();
    tabs.postMessage('changed');
  }, [refresh]);
  useEffect(() => {
    tabs.addEventListener('message', refresh);
    return () => tabs.removeEventListener('message', refresh);
  }, [refresh]);
  return { session: data?.session, error, refresh, changed };
}

/** Whole seconds until the session may end, updated every second. The clock of this computer may be wrong, so none is used. */
export function useSecondsLeft(session: Session): number {
  const end = useMemo(() => performance.now() + 1000 * secondsLeft(session), [session]);
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((end - now) / 1000));
}

/** As of the answer. */
function secondsLeft({ expiresInSeconds, idleExpiresInSeconds, platformExpiresInSeconds }: Session): number {
  return Math.min(expiresInSeconds, idleExpiresInSeconds, platformExpiresInSeconds ?? Infinity);
}
