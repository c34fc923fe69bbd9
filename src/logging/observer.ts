import { type CallObserver, type CircuitChange, type PlatformCall } from 'portico/client';
import { type FoundSession, type SessionEvent } from './session-event.js';

/** A step of work that is timed or traced: a call to the session store or a secret store, or the load of a session. */
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
