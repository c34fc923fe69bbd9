import { hash } from 'node:crypto';
import { type Observer } from '../logging/observation.js';
import { type RequestFacts } from '../logging/request-scope.js';
import {
  type ErrorFacts,
  eventOutcome,
  type Outcome,
  type SessionEvent,
  type SessionEventKind,
} from '../logging/session-event.js';
import { type AuditSink } from './audit-sink.js';

/**
 * Characters that are invisible or change how others look: controls, bidi marks, invisible letters, lone surrogates.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const REPLACEMENT = '\ufffd';
const LONGEST = 128;
const FINGERPRINT_CHARACTERS = 16;

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
  /** The platform's own code. */
  readonly platformCode?: string;
  /** The platform's ticket for the failure. */
  readonly ticketId?: string;
  readonly account?: string;
  readonly profile?: string;
  readonly address?: string;
  readonly session?: string;
  readonly requestId?: string;
  readonly traceId?: string;
}

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

function auditRecord(
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
    platformCode: failure?.platformCode,
    ticketId: failure?.ticketId,
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

/**
 * Makes a caller's text safe for a line that people read: invisible characters become U+FFFD, and the text is cut at
 * 128 characters.
 */
export function cleanText(text: string): string {
  // Cut first, so that no more is cleaned than is kept.
  const kept = Array.from(text.slice(0, 2 * LONGEST + 2)).slice(0, LONGEST + 1);
  const cleaned = kept.slice(0, LONGEST).join('').replaceAll(UNSEEN, REPLACEMENT);
  return kept.length > LONGEST ? `${cleaned}…` : cleaned;
}

/**
 * Names a session in the audit log: the same for all of its events, and useless to a reader who wants to use the
 * session.
 */
function publicSessionId(storeKey: string): string {
  return fingerprint(`session:${storeKey}`);
}

/** Stands for an account whose name is its credential. */
function accountFingerprint(account: string): string {
  return `sha256:${fingerprint(`account:${account}`)}`;
}

function fingerprint(text: string): string {
  return hash('sha256', `portico audit ${text}`).slice(0, FINGERPRINT_CHARACTERS);
}
