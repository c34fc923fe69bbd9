import { type CallObserver, type CircuitChange, type PlatformCall } from '../client/index.js';
import { type SessionEvent } from './session-event.js';

/** A step of work that is worth a span or a time: what is asked of the store of sessions or of secrets, and a session's load. */
export interface Step {
  readonly kind: 'session' | 'session_store' | 'secret_store';
  /** Such as `read`, `load`, or the name of a secret store: never anything of a request. */
  readonly operation: string;
}

/** One who looks on: the audit log, the metrics, the traces. Each takes part in what it wants to know. */
export interface Observer {
  sessionEvent?(event: SessionEvent): void;
  /** Follows a call to the platform. */
  platformCall?(call: Pick<PlatformCall, 'method' | 'path'>): CallObserver | undefined;
  circuitChange?(change: CircuitChange): void;
  /** The platform listed so many projects without id or name: they are left out. */
  projectsLeftOut?(count: number): void;
  /** Runs a step, and gives what it gives or throws what it throws. */
  step?<T>(step: Step, work: () => Promise<T>): Promise<T>;
}
