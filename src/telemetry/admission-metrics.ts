import { Counter, Gauge, type Registry } from 'prom-client';
import { type Admission } from '../load/admission.js';
import { OVERLOAD_REASONS } from '../errors/service-error.js';

/** Shows what is refused because too much is in flight, and how much may be. */
export function showAdmission(admission: Admission, registry: Registry): void {
  new Counter({
    name: 'portico_requests_refused_total',
    help: 'Requests refused as OVERLOADED, by the limit that was reached.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of OVERLOAD_REASONS) this.inc({ reason }, admission.refused[reason]);
    },
  });
  new Gauge({
    name: 'portico_requests_waiting',
    help: 'Requests waiting for a place.',
    registers: [registry],
    collect() {
      this.set(admission.waiting);
    },
  });
  new Gauge({
    name: 'portico_in_flight_limit',
    help: 'How many requests may be in flight now: MAX_IN_FLIGHT, or fewer while the process is busy.',
    registers: [registry],
    collect() {
      this.set(admission.limit.value);
    },
  });
  new Gauge({
    name: 'portico_connections_held',
    help: 'Connections that wait to be read again after an answer, because the process is busy.',
    registers: [registry],
    collect() {
      this.set(admission.paused);
    },
  });
}
