import { type ErrorFacts, eventOutcome, type Outcome } from '../logging/event-outcome.js';
import { type SessionEvent, type SessionEventKind } from '../logging/session-event.js';
import { type RequestFacts } from '../logging/request-scope.js';
import { cleanText } from './clean-text.js';
import { accountFingerprint, publicSessionId } from './public-id.js';

/** One line of the audit log; docs/audit.schema.json describes it, and docs/audit.md explains it. */
export interface AuditRecord {
  /** The version of this shape. Marks the line among others on stdout. */
  readonly audit: 1;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly event: SessionEventKind;
  readonly outcome: Outcome;
  /** A code of docs/errors.md. */
  readonly code?: string;
  /** A reason of docs/errors.md. */
  readonly reason?: string;
  readonly account?: string;
  readonly profile?: string;
  readonly address?: string;
  readonly session?: string;
  readonly requestId?: string;
  readonly traceId?: string;
}

/** The record of an event. */
export function auditRecord(
  { kind, storeKey, account, isCredential, profile, error }: SessionEvent,
  request: Partial<RequestFacts>,
  factsOf: (error: unknown) => ErrorFacts,
  now: number,
): AuditRecord {
  const failure = error === undefined ? undefined : factsOf(error);
  const record = {
    audit: 1,
    time: new Date(now).toISOString(),
    event: kind,
    outcome: eventOutcome(kind, failure),
    code: failure?.code,
    reason: failure?.reason,
    account: account === undefined ? undefined : accountName(account, isCredential),
    profile: profile === undefined ? undefined : cleanText(profile),
    address: request.clientAddress,
    session: storeKey === undefined ? undefined : publicSessionId(storeKey),
    requestId: request.requestId,
    traceId: request.traceId,
  } as const;
  // The names keep their order, and what is not known is left out.
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as AuditRecord;
}

function accountName(account: string, isCredential = false): string {
  return isCredential ? accountFingerprint(account) : cleanText(account);
}
