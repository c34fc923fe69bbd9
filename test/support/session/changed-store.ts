import { type SessionStore } from '../../../src/session/store/session-store.js';

/** A store of which some methods are others. */
export function changedStore(store: SessionStore, others: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name in others) return others[name as keyof SessionStore];
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
