import { type ErrorFacts } from '../logging/event-outcome.js';
import { type Observer } from '../logging/observer.js';
import { type RequestFacts } from '../logging/request-scope.js';
import { auditRecord } from './audit-record.js';
import { type AuditSink } from './audit-sink.js';

/** Writes a line of JSON for each event of a session. */
export function auditLog(
  sink: Pick<AuditSink, 'write'>,
  facts: {
    /** Of the request that is being served; empty outside of one. */
    readonly ofRequest: () => Partial<RequestFacts>;
    readonly ofError: (error: unknown) => ErrorFacts;
  },
  now: () => number = Date.now,
): Observer {
  return {
    sessionEvent: (event) => {
      const record = auditRecord(event, facts.ofRequest(), facts.ofError, now());
      sink.write(`${JSON.stringify(record)}\n`);
    },
  };
}
