import { standardOutput } from '../logging/standard-output.js';

/** Where the lines of the audit log go. */
export interface AuditSink {
  /** @param line ends with a line feed. */
  write(line: string): void;
  /** Reopens the file, so that the old one can be removed. */
  reopen(): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

/** Standard output, next to the log. */
export const STDOUT_SINK: AuditSink = {
  write: (line) => {
    standardOutput().writeAudit(line);
  },
  reopen: () => undefined,
  close: () => Promise.resolve(),
};
