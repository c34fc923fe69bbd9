import { isAuthPath } from '../base-url.js';
import { Circuit } from './circuit.js';

/** A circuit that opened or closed. */
export interface CircuitChange {
  /** `auth`: logins, delegations and logouts. `data`: everything else. */
  readonly circuit: 'auth' | 'data';
  /** Whether calls are refused now. */
  readonly isOpen: boolean;
}

/** The circuits of one platform: its logins may fail while its data is well, and the other way round. */
export class Circuits {
  readonly #auth: Circuit;
  readonly #data: Circuit;

  constructor(onChange: (change: CircuitChange) => void = () => undefined) {
    const tell = (circuit: CircuitChange['circuit']) => (isOpen: boolean) => {
      try {
        onChange({ circuit, isOpen });
      } catch {
        // What only looks on must not be able to break the call.
      }
    };
    this.#auth = new Circuit(tell('auth'));
    this.#data = new Circuit(tell('data'));
  }

  /** @param path below the base URL */
  of(path: string): Circuit {
    return isAuthPath(path) ? this.#auth : this.#data;
  }
}
