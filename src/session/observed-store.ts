import { type Observation } from '../logging/observation.js';
import { type SessionStore } from './store/session-store.js';

/** The same store, with each operation as a step that observers can time. */
export function observedStore(store: SessionStore, observation: Observation): SessionStore {
  const observed = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
    observation.step({ kind: 'session_store', operation }, work);
  return {
    ...(store.isShared !== undefined && { isShared: store.isShared }),
    create: (key, sealed) => observed('create', () => store.create(key, sealed)),
    read: (key) => observed('read', () => store.read(key)),
    peek: (key) => observed('peek', () => store.peek(key)),
    noteUse: (key, at, timeoutMs) => {
      store.noteUse(key, at, timeoutMs);
    },
    replace: (key, version, sealed) => observed('replace', () => store.replace(key, version, sealed)),
    remove: (key, version) => observed('remove', () => store.remove(key, version)),
    lease: (key, holder, milliseconds) => observed('lease', () => store.lease(key, holder, milliseconds)),
    settle: (key, holder, milliseconds) => observed('settle', () => store.settle(key, holder, milliseconds)),
    ping: () => observed('ping', () => store.ping()),
    count: () => store.count(),
    close: () => store.close(),
  };
}
