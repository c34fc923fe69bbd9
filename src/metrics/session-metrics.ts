import { Counter, type Registry } from 'prom-client';
import { REFUSALS, type RefusedRecords } from '../session/sealed/refused-records.js';

/** Counts the records of sessions that were not opened: `not_authentic` is somebody at the store, and worth an alert. */
export function showRefusedRecords(records: RefusedRecords, registry: Registry): void {
  new Counter({
    name: 'portico_session_records_refused_total',
    help: 'Stored sessions that were not opened: sealed by an unknown key, or not authentic and so removed.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of REFUSALS) this.inc({ reason }, records.count(reason));
    },
  });
}
