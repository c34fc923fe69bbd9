import { type ConnectionOptions, type HopRequest, type HopResponse, type Transport } from './transport.js';

/**
 * A transport that is made when the first hop is sent. HTTP libraries take most of the time of an import, and a
 * program may import the client without calling anything, or may use the other library.
 */
export class DeferredTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loading: Promise<Transport> | undefined;
  #transport: Transport | undefined;
  #isClosed = false;

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  send(request: HopRequest): Promise<HopResponse> {
    if (this.#transport !== undefined) return this.#transport.send(request);
    return this.#loaded().then((transport) => transport.send(request));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#loading)?.close();
  }

  /** If it was closed in the meantime, the new transport is closed before anything is sent. */
  #loaded(): Promise<Transport> {
    return (this.#loading ??= this.#load().then(async (transport) => {
      if (this.#isClosed) await transport.close();
      return (this.#transport = transport);
    }));
  }
}

/** The HTTP libraries. */
export const TRANSPORTS: Record<'got' | 'undici', (options: ConnectionOptions) => Promise<Transport>> = {
  got: async (options) => new (await import('./got-transport.js')).GotTransport(options),
  undici: async (options) => new (await import('./undici-transport.js')).UndiciTransport(options),
};
