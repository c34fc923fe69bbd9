import { type CallObserver, type CircuitChange, type PlatformCall } from 'portico/client';
import { type FoundSession, type SessionEvent } from './session-event.js';

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

  sessionEvent(event: SessionEvent): void {
    this.#tell((observer) => observer.sessionEvent?.(event));
  }

  sessionFound(session: FoundSession): void {
    this.#tell((observer) => observer.sessionFound?.(session));
  }

  circuitChange(change: CircuitChange): void {
    this.#tell((observer) => observer.circuitChange?.(change));
  }

  /** Follows a call to the platform for all observers; undefined if none of them does. */
  platformCall(call: Pick<PlatformCall, 'method' | 'path'>): CallObserver | undefined {
    const followers = this.#tell((observer) => observer.platformCall?.(call)).filter(
      (follower) => follower !== undefined,
    );
    if (followers.length < 2) return followers[0];
    const each = (tell: (follower: CallObserver) => void): void => {
      followers.forEach(harmless(tell));
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

  operationAnswered(operation: string | undefined, code: string | undefined): void {
    this.#tell((observer) => observer.operationAnswered?.(operation, code));
  }

  projectsLeftOut(count: number): void {
    this.#tell((observer) => observer.projectsLeftOut?.(count));
  }

  /** Runs a step of work. */
  step<T>(step: Step, work: () => Promise<T>): Promise<T> {
    return this.#observers.reduce((inner, observer) => {
      const run = observer.step?.bind(observer);
      return run === undefined ? inner : () => run(step, inner);
    }, work)();
  }

  #tell<T>(tell: (observer: Observer) => T): (T | undefined)[] {
    return this.#observers.map(harmless(tell));
  }
}

function harmless<A, T>(tell: (observer: A) => T): (observer: A) => T | undefined {
  return (observer) => {
    try {
      return tell(observer);
    } catch {
      return undefined;
    }
  };
}
