import { Counter, Gauge, type Registry } from 'prom-client';
import { REFUSALS, type RefusedRecords } from '../session/refused-records.js';
import { type SessionStore } from '../session/store/session-store.js';

/** Counts session records that could not be opened. `not_authentic` means tampering in the store: set an alert on it. */
export function showRefusedRecords(records: RefusedRecords, registry: Registry): void {
  new Counter({
    name: 'portico_session_records_refused_total',
    help: 'Stored sessions that could not be opened: sealed with an unknown key, or tampered with and removed.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of REFUSALS) this.inc({ reason }, records.count(reason));
    },
  });
}

/** Shows how many sessions there are, if the store can tell. While a store cannot be asked, it shows none. */
export function showLiveSessions(store: Pick<SessionStore, 'count'>, registry: Registry): void {
  new Gauge({
    name: 'portico_sessions_live',
    help: 'Sessions that have not ended; absent with Redis, which would have to scan all of its keys.',
    registers: [registry],
    async collect() {
      this.reset();
      const live = await store.count().catch(() => undefined);
      if (live === undefined) this.remove();
      else this.set(live);
    },
  });
}
