import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { makeFolder, pathReason } from '../config/own-path.js';
import { errorFacts } from '../errors/to-graphql-error.js';
import { type RequestFacts, RequestScope } from '../logging/log-requests.js';
import {
  eventOutcome,
  Observation,
  type Observer,
  type Outcome,
  type SessionEvent,
  type SessionEventKind,
} from '../logging/observation.js';
import { hash } from 'node:crypto';
import { publicSessionId } from '../session/handle.js';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { standardOutput, WaitingLines } from '../logging/standard-output.js';

const Sink = Symbol('AuditSink');

async function auditSink({ AUDIT_LOG: destination }: Settings): Promise<AuditSink | undefined> {
  if (destination === 'off') return undefined;
  if (destination === 'stdout') return stdoutSink();
  const logger = new Logger('AuditLog');
  try {
    return await FileSink.open(destination, (message) => {
      logger.error(message);
    });
  } catch (error) {
    throw new Error(`AUDIT_LOG cannot be used: ${pathReason((error as NodeJS.ErrnoException).code)}`, {
      cause: error,
    });
  }
}

/** The audit log. It writes what it observes, and reopens its file on SIGHUP. */
@Module({
  providers: [{ provide: Sink, inject: [Settings], useFactory: auditSink }],
})
export class AuditModule implements OnModuleInit, OnApplicationShutdown {
  readonly #reopen = (): void => {
    this.sink?.reopen?.();
  };

  constructor(
    @Inject(Sink) private readonly sink: AuditSink | undefined,
    private readonly observation: Observation,
    private readonly scope: RequestScope,
  ) {}

  onModuleInit(): void {
    if (this.sink === undefined) return;
    this.observation.add(auditLog(this.sink, this.scope));
    // Without a file, SIGHUP stops the service, as when a terminal is closed.
    if (this.sink.reopen !== undefined) process.on('SIGHUP', this.#reopen);
  }

  async onApplicationShutdown(): Promise<void> {
    process.off('SIGHUP', this.#reopen);
    await this.sink?.close();
  }
}

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
  /** Why the session was ended by another than its caller. */
  readonly cause?: SessionEvent['cause'];
  /** A code of docs/errors.md. */
  readonly code: string | undefined;
  /** A reason of docs/errors.md. */
  readonly reason: string | undefined;
  /** The platform's own code. */
  readonly platformCode: string | undefined;
  /** The platform's ticket for the failure. */
  readonly ticketId: string | undefined;
  readonly account: string | undefined;
  readonly profile: string | undefined;
  readonly address: string | undefined;
  readonly session: string | undefined;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
}

/** Writes a line of JSON for each event of a session. */
function auditLog(sink: AuditSink, scope: RequestScope): Observer {
  return {
    sessionEvent: (event) => {
      sink.write(`${JSON.stringify(auditRecord(event, scope.request()))}\n`);
    },
  };
}

function auditRecord(
  { kind, storeKey, account, isCredential = false, profile, cause, error }: SessionEvent,
  request: RequestFacts | undefined,
): AuditRecord {
  const failure = error === undefined ? undefined : errorFacts(error);
  const nameOf = isCredential ? accountFingerprint : cleanText;
  // JSON leaves out what is not known.
  return {
    audit: 1,
    time: new Date().toISOString(),
    event: kind,
    outcome: eventOutcome(kind, failure),
    cause,
    code: failure?.code,
    reason: failure?.reason,
    platformCode: failure?.platformCode,
    ticketId: failure?.ticketId,
    account: account === undefined ? undefined : nameOf(account),
    profile: profile === undefined ? undefined : cleanText(profile),
    address: request?.clientAddress,
    session: storeKey === undefined ? undefined : publicSessionId(storeKey),
    requestId: request?.requestId,
    traceId: request?.traceId,
  };
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

/** Stands for an account whose name is its credential. */
function accountFingerprint(account: string): string {
  return `sha256:${fingerprint(`account:${account}`)}`;
}

function fingerprint(text: string): string {
  return hash('sha256', `portico audit ${text}`).slice(0, FINGERPRINT_CHARACTERS);
}

/** The most that waits for space on the disk; more is lost, and counted. */
const MOST_WAITING_BYTES = 1024 * 1024;
const OWNER_ONLY = 0o600;
/** The umask decides: a log collector must be able to enter the folder. */
const ANY_FOLDER = 0o777;

/** Where the lines of the audit log go. */
interface AuditSink {
  /** @param line ends with a line feed. */
  write(line: string): void;
  /** Reopens the file, so that the old one can be removed. Absent without a file. */
  reopen?(): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

/** Standard output, next to the log. */
function stdoutSink(): AuditSink {
  const output = standardOutput();
  return { write: output.writeAudit.bind(output), close: () => Promise.resolve() };
}

/** A file that lines are appended to, created with access for its owner only. */
export class FileSink implements AuditSink {
  readonly #path: string;
  readonly #lines: WaitingLines;
  #file: FileHandle;
  #isStale = false;

  /**
   * @param report called once when lines cannot be written, and once when they can again.
   * @throws Error of the file system when the file cannot be opened.
   */
  static async open(path: string, report: (message: string) => void): Promise<FileSink> {
    makeFolder(dirname(path), ANY_FOLDER);
    return new FileSink(path, await openToAppend(path), report);
  }

  private constructor(path: string, file: FileHandle, report: (message: string) => void) {
    this.#path = path;
    this.#file = file;
    this.#lines = new WaitingLines({
      name: 'The audit log',
      mostBytes: MOST_WAITING_BYTES,
      write: (bytes) => this.#append(bytes),
      report,
    });
  }

  write(line: string): void {
    this.#lines.write(line);
  }

  reopen(): void {
    this.#isStale = true;
    this.#lines.wake();
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await this.#file.close();
  }

  /** The file changes only between two writes. */
  async #append(bytes: Buffer): Promise<number> {
    if (this.#isStale) await this.#takeNewFile();
    return bytes.length === 0 ? 0 : (await this.#file.write(bytes)).bytesWritten;
  }

  async #takeNewFile(): Promise<void> {
    const fresh = await openToAppend(this.#path);
    const old = this.#file;
    this.#file = fresh;
    this.#isStale = false;
    await old.close();
  }
}

function openToAppend(path: string): Promise<FileHandle> {
  return open(path, 'a', OWNER_ONLY);
}
