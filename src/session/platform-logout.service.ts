import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { PlatformError, type PlatformSession, provesExpiry } from 'portico/client';
import { Observation, type SessionEvent } from '../logging/observation.js';

/**
 * Milliseconds until each further attempt, all within a minute. A longer outage outlasts the platform's own session
 * timeout.
 */
const RETRY_AFTER_MS = [250, 2000, 10_000, 30_000] as const;

/** Sessions that may wait for another attempt; each is held with its token and cookies. */
const MOST_WAITING = 1000;

/** Runs work after a time in milliseconds. Returns what cancels it. */
export type RunLater = (work: () => void, ms: number) => () => void;

/** The injection token of the {@link RunLater}. By default a timer that keeps no process alive. */
export const RunLater = Symbol('RunLater');

/**
 * Logs platform sessions out that are no longer used. What fails is tried again in the background, until the
 * service stops.
 */
@Injectable()
export class PlatformLogout implements BeforeApplicationShutdown {
  readonly #logger = new Logger('PlatformLogout');
  readonly #cancels = new Set<() => void>();
  #isStopping = false;

  constructor(
    private readonly observation: Observation,
    @Optional() @Inject(RunLater) private readonly runLater: RunLater = byTimer,
  ) {}

  /**
   * Ends a platform session. Never rejects.
   *
   * @param event what is reported, with the store key of the session that has ended here; undefined if none had begun
   * @returns true if the platform answered 204, or had ended the session already; false if it may live on there
   */
  async end(session: PlatformSession, event?: SessionEvent): Promise<boolean> {
    return this.#attempt({ session, event, failures: 0 });
  }

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    if (this.#cancels.size === 0) return;
    this.#logger.warn(
      `Platform sessions that are not logged out and end when they time out: ${this.#cancels.size}`,
    );
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  async #attempt(logout: Logout): Promise<boolean> {
    const { session, event, failures } = logout;
    const error = await failureOf(session);
    if (event !== undefined && (failures === 0 || error === undefined)) {
      this.observation.tell('sessionEvent', { ...event, error });
    }
    if (error === undefined) {
      if (failures > 0) this.#logger.log(`A platform session was logged out by attempt ${failures + 1}`);
      return true;
    }
    this.#retry({ ...logout, failures: failures + 1 }, describe(error));
    return false;
  }

  /** Reports the first failure and the last. */
  #retry(logout: Logout, reason: string): void {
    const delay = RETRY_AFTER_MS[logout.failures - 1];
    if (delay === undefined || this.#isStopping || this.#cancels.size >= MOST_WAITING) {
      this.#logger.warn(`A platform session is not logged out and ends when it times out: ${reason}`);
      return;
    }
    if (logout.failures === 1) {
      this.#logger.warn(`A platform session could not be logged out, which is tried again: ${reason}`);
    }
    const cancel = this.runLater(() => {
      this.#cancels.delete(cancel);
      void this.#attempt(logout);
    }, delay);
    this.#cancels.add(cancel);
  }
}

function byTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => {
    clearTimeout(timer);
  };
}

interface Logout {
  readonly session: PlatformSession;
  readonly event: SessionEvent | undefined;
  readonly failures: number;
}

/** Why the platform may still have the session; undefined if it has ended there. */
async function failureOf(session: PlatformSession): Promise<unknown> {
  if (!session.hasSession()) return undefined;
  try {
    await session.logout();
    return undefined;
  } catch (error) {
    return provesExpiry(error) ? undefined : error;
  }
}

/** The kind of an error with the platform's code and ticket, for its operator. */
function describe(error: unknown): string {
  if (!(error instanceof PlatformError)) return error instanceof Error ? error.name : 'unknown error';
  const { name, status, code, ticketId } = error;
  const facts = [
    status === undefined ? undefined : `HTTP ${status}`,
    code === 'N/A' ? undefined : code,
    ticketId === undefined ? undefined : `ticket ${ticketId}`,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}
