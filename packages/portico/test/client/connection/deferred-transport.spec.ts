import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DeferredTransport } from '../../../src/client/transport/deferred-transport.js';
import { type HopRequest, type Transport } from '../../../src/client/transport/transport.js';
import { gate } from '../../support/gate.js';

const HOP: HopRequest = {
  method: 'GET',
  url: new URL('http://platform.example/api/projects'),
  headers: {},
  signal: new AbortController().signal,
};

/** A transport that fails once it is closed, as those over sockets do. */
function recording(): Transport & { sent: number; closed: number } {
  return {
    sent: 0,
    closed: 0,
    send() {
      if (this.closed > 0) return Promise.reject(new Error('closed'));
      this.sent += 1;
      return Promise.resolve({ status: 200, rawHeaders: [], body: Readable.from([]) });
    },
    close() {
      this.closed += 1;
      return Promise.resolve();
    },
  };
}

describe('a transport that is made when it is used', () => {
  it('is made once, however many send at once', async () => {
    const made: Transport[] = [];
    const transport = recording();
    const deferred = new DeferredTransport(() => {
      made.push(transport);
      return Promise.resolve(transport);
    });
    expect(made).toHaveLength(0);
    await Promise.all([
      deferred.made().then((made) => made.send(HOP)),
      deferred.made().then((made) => made.send(HOP)),
      deferred.made().then((made) => made.send(HOP)),
    ]);
    await deferred.made().then((made) => made.send(HOP));
    expect({ made: made.length, sent: transport.sent }).toEqual({ made: 1, sent: 4 });
    await deferred.close();
    expect(transport.closed).toBe(1);
  });

  it('is never made where it is closed unused', async () => {
    const deferred = new DeferredTransport(() => Promise.reject(new Error('it was made')));
    await expect(deferred.close()).resolves.toBeUndefined();
  });

  it('can be closed after it could not be made', async () => {
    const deferred = new DeferredTransport(() => Promise.reject(new Error('no certificate')));
    await expect(deferred.made().then((made) => made.send(HOP))).rejects.toThrow('no certificate');
    await expect(deferred.close()).resolves.toBeUndefined();
  });

  it('sends nothing after it was closed, also while it was being made', async () => {
    const { passed, open } = gate();
    const transport = recording();
    const deferred = new DeferredTransport(() => passed.then(() => transport));
    const early = deferred.made().then((made) => made.send(HOP));
    const closing = deferred.close();
    open();
    await expect(early).rejects.toThrow('closed');
    await closing;
    await expect(deferred.made().then((made) => made.send(HOP))).rejects.toThrow('closed');
    const unused = new DeferredTransport(() => Promise.resolve(recording()));
    await unused.close();
    await expect(unused.made().then((made) => made.send(HOP))).rejects.toThrow('closed');
    expect(transport.sent).toBe(0);
  });
});
