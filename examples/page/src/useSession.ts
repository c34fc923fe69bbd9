import { useCallback, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { SESSION } from './documents.js';

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

/** Whole seconds until a time, updated every second. */
export function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((moment - now) / 1000));
}
