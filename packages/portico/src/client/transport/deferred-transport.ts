import { type ConnectionOptions, type Transport } from './transport.js';

/**
 * A transport that is made when the first hop is sent. HTTP libraries take most of the time of an import, and a
 * program may import the client without calling anything, or may use the other library.
 */
export class DeferredTransport {
  readonly #make: () => Promise<Transport>;
  #making: Promise<Transport> | undefined;
  #isClosed = false;
  /** Undefined until it has been made. */
  transport: Transport | undefined;

  constructor(make: () => Promise<Transport>) {
    this.#make = make;
  }

  /** If it was closed in the meantime, the new transport is closed before anything is sent. */
  made(): Promise<Transport> {
    return (this.#making ??= this.#make().then(async (transport) => {
      if (this.#isClosed) await transport.close();
      return (this.transport = transport);
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // One that could not be made has nothing to close; its calls said why.
    await (await this.#making?.catch(() => undefined))?.close();
  }
}

/** The HTTP libraries. */
export const TRANSPORTS: Record<'got' | 'undici', (options: ConnectionOptions) => Promise<Transport>> = {
  got: async (options) => new (await import('./got-transport.js')).GotTransport(options),
  undici: async (options) => new (await import('./undici-transport.js')).UndiciTransport(options),
};
