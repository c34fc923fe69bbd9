import { type CallObserver, type CircuitChange, type PlatformCall } from 'portico/client';

/**
 * A step of work that is timed or traced: a call to the session store or a secret store, or the load of a session.
 */
export interface Step {
  readonly kind: 'session' | 'session_store' | 'secret_store';
  /** Such as `read`, `load`, or the name of a secret store; never contains data of a request. */
  readonly operation: string;
}

/** An observer: the audit log, the metrics or the traces. Each implements what it needs. */
export interface Observer {
  sessionEvent?(event: SessionEvent): void;
  /** Called for each request with a session, when it is found, and for each login. */
  sessionFound?(session: FoundSession): void;
  /** Follows a call to the platform. */
  platformCall?(call: Pick<PlatformCall, 'method' | 'path'>): CallObserver | undefined;
  circuitChange?(change: CircuitChange): void;
  /**
   * A GraphQL operation was answered.
   *
   * @param operation `query` or `mutation`; undefined if the request does not say which operation it means.
   * @param code of the first error; undefined without an error.
   */
  operationAnswered?(operation: string | undefined, code: string | undefined): void;
  /** The platform listed this many projects without id or name: they are left out. */
  projectsLeftOut?(count: number): void;
  /** Runs a step, and returns what it returns or throws what it throws. */
  step?<T>(step: Step, work: () => Promise<T>): Promise<T>;
}

/**
 * Passes on what happens in the service to all observers. Code that does the work knows this class and no observer.
 * An observer that throws changes nothing.
 */
export class Observation {
  readonly #observers: Observer[] = [];

  add(observer: Observer): void {
    this.#observers.push(observer);
  }

  /** Tells all observers what has happened, by the name of their method for it. */
  tell<K extends Told>(what: K, ...about: Parameters<Required<Observer>[K]>): void {
    for (const observer of this.#observers) {
      const told = observer[what] as ((...about: unknown[]) => void) | undefined;
      try {
        told?.apply(observer, about);
      } catch {
        // What happens in the service does not depend on who observes it.
      }
    }
  }

  /** Follows a call to the platform for all observers; undefined if none of them does. */
  platformCall(call: Pick<PlatformCall, 'method' | 'path'>): CallObserver | undefined {
    const followers: CallObserver[] = [];
    for (const observer of this.#observers) {
      const follower = observer.platformCall && harmless(() => observer.platformCall?.(call));
      if (follower !== undefined) followers.push(follower);
    }
    if (followers.length < 2) return followers[0];
    const each = (tell: (follower: CallObserver) => void): void => {
      for (const follower of followers) {
        harmless(() => {
          tell(follower);
        });
      }
    };
    return {
      headers: Object.assign({}, ...followers.map(({ headers }) => headers)) as Record<string, string>,
      redirected: (status) => {
        each((follower) => follower.redirected?.(status));
      },
      retried: (cause) => {
        each((follower) => follower.retried?.(cause));
      },
      ended: (ended, error) => {
        each((follower) => follower.ended?.(ended, error));
      },
    };
  }

  /** Runs a step of work. */
  step<T>(step: Step, work: () => Promise<T>): Promise<T> {
    let outermost = work;
    for (const observer of this.#observers) {
      const run = observer.step?.bind(observer);
      if (run === undefined) continue;
      const inner = outermost;
      outermost = () => run(step, inner);
    }
    return outermost();
  }
}

/** What observers are told, and nothing is expected back. */
type Told = Exclude<keyof Observer, 'platformCall' | 'step'>;

function harmless<T>(observe: () => T): T | undefined {
  try {
    return observe();
  } catch {
    return undefined;
  }
}

/** What can happen to a session, or to an attempt to start one. */
export type SessionEventKind =
  | 'login'
  | 'delegate'
  /** A login by a credential profile, with the profile's key. */
  | 'profile_use'
  /** A session of a profile is logged in again. */
  | 'relogin'
  /** A token was created with which another client can join the session. */
  | 'identity_token'
  | 'logout'
  /** The platform no longer knows a session. */
  | 'expiry'
  /** The time of a session was over here, and it was logged out on the platform. */
  | 'timeout'
  /** A session was ended by another than its caller. */
  | 'end'
  /** A handle was sent that opens no session. */
  | 'refusal';

/** A session that has just begun here, or was found under the handle of a request. */
export interface FoundSession {
  readonly storeKey: string;
  /**
   * A hash of who logged in, the same for all sessions of one account; undefined for a guest and a delegated session.
   */
  readonly account: string | undefined;
}

/** One such event. The caller and the address are those of the current request. */
export interface SessionEvent {
  readonly kind: SessionEventKind;
  /** The store key of the session, if there is one. */
  readonly storeKey?: string | undefined;
  /** The account as the caller gave it. */
  readonly account?: string | undefined;
  /** Whether the account logs in by its name alone. The name is a credential then, and is never written as it is. */
  readonly isCredential?: boolean | undefined;
  /** The name of the credential profile, as the caller gave it. */
  readonly profile?: string | undefined;
  /** Why a session was ended by another than its caller. */
  readonly cause?: 'operator' | 'account_limit' | 'everywhere' | undefined;
  /** The error, if it failed. */
  readonly error?: unknown;
}

/** How the answer of the API identifies an error. */
export interface ErrorFacts {
  /** A code of docs/errors.md. */
  readonly code: string;
  /** A reason of docs/errors.md. */
  readonly reason?: string | undefined;
  /** The platform's own code, as it wrote it. */
  readonly platformCode?: string | undefined;
  /** The platform's ticket, for its operator. */
  readonly ticketId?: string | undefined;
}

/** `refused`: the service itself refused, without calling the platform. `failure`: it was tried. */
export type Outcome = 'success' | 'failure' | 'refused';

const REFUSING: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED', 'FORBIDDEN']);

/**
 * The outcome of an event. A session that the platform has dropped is not a failure. What the platform refused was
 * tried, so it is one.
 */
export function eventOutcome(kind: SessionEventKind, failure: ErrorFacts | undefined): Outcome {
  if (kind === 'refusal') return 'refused';
  if (failure === undefined || kind === 'expiry') return 'success';
  return failure.platformCode === undefined && REFUSING.has(failure.code) ? 'refused' : 'failure';
}
