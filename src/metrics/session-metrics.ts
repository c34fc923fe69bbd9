import { Counter, type Registry } from 'prom-client';
import { REFUSALS, type RefusedRecords } from '../session/sealed/refused-records.js';

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
