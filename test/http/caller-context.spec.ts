import { EventEmitter } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type Caller } from '../../src/http/caller.js';
import {
  addHeader,
  callerFacts,
  contextOf,
  type HostAnswer,
  hangUpSignal,
  hostCallerReader,
  hostContext,
  type HostRequest,
  originRefusal,
  type RequestOrigin,
} from '../../src/http/caller-context.js';
import { newHandle } from '../../src/session/handle.js';

const CALLER: Caller = {
  address: '192.0.2.1',
  network: '192.0.2.1',
  service: { protocol: 'https', hostname: 'graph.example', origin: 'https://graph.example' },
  sessionCookie: { name: '__Host-portico', secure: true },
  presented: undefined,
  foreignBearer: false,
  withCookie: false,
  origin: undefined,
  fetchSite: undefined,
  isRouter: false,
};
const HANDLE = { handle: newHandle(), transport: 'cookie' } as const;

describe('the cookie of a caller', () => {
  it('is useless if it cannot be a handle, and is then cleared', () => {
    expect(callerFacts({ ...CALLER, withCookie: true }, 'id').cookie).toBe('useless');
  });

  it('is left alone if there is none, or if there is a handle', () => {
    expect(callerFacts(CALLER, 'id')).not.toHaveProperty('cookie');
    const withHandle = callerFacts({ ...CALLER, withCookie: true, presented: HANDLE }, 'id');
    expect(withHandle).not.toHaveProperty('cookie');
    expect(withHandle).toMatchObject({ presented: HANDLE, origin: { transport: 'cookie' } });
  });

  it('never comes back from a page of another site, unless it is made for those', () => {
    const crossSite = (fetchSite: string | undefined, reach?: boolean): boolean | undefined =>
      callerFacts(
        { ...CALLER, fetchSite, sessionCookie: { ...CALLER.sessionCookie, crossSite: reach } },
        'id',
      ).crossSite;
    expect(crossSite('cross-site')).toBe(true);
    expect(crossSite('cross-site', true)).toBe(false);
    expect(crossSite('same-site')).toBe(false);
    expect(crossSite(undefined)).toBe(false);
  });
});

describe('the context of a request', () => {
  const read = hostCallerReader({ SESSION_HEADER: 'authorization', SESSION_COOKIE_SITE: 'lax' });
  const raw = { rawHeaders: ['Host', 'graph.example'] };
  const plain = (parts: object = {}): HostRequest =>
    ({
      ip: '192.0.2.1',
      host: 'graph.example',
      headers: { host: 'graph.example' },
      ...raw,
      ...parts,
    }) as never;
  const answer = (): HostAnswer => new EventEmitter() as never;

  it('is one for all that looks at the request', () => {
    const request = plain();
    expect(contextOf(request)).toBeUndefined();
    const context = hostContext(request, answer(), read);
    expect(hostContext(request, answer(), read)).toBe(context);
    expect(contextOf(request)).toBe(context);
    expect(contextOf(plain())).toBeUndefined();
  });

  it('is that of the stream below a request of Fastify', () => {
    const below = plain();
    const context = hostContext(plain({ raw: below }), { raw: answer() } as never, read);
    expect(contextOf(below)).toBe(context);
  });

  it('is read from the request where no hook has done so, by plain HTTP if nothing else is said', () => {
    expect(hostContext(plain(), answer(), read)).toMatchObject({
      clientAddress: '192.0.2.1',
      origin: { self: 'http://graph.example' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(hostContext(plain({ protocol: 'https' }), answer(), read).origin.self).toBe(
      'https://graph.example',
    );
  });

  it('has what a hook has read, and the id that the server has given', () => {
    const context = hostContext(plain({ caller: CALLER, id: 'of-the-server' }), answer(), () => {
      throw new Error('read twice');
    });
    expect(context).toMatchObject({ origin: { self: 'https://graph.example' }, requestId: 'of-the-server' });
  });

  it('is refused for a request without an address or a host', () => {
    expect(() => hostContext(plain({ ip: undefined }), answer(), read)).toThrow('X-Forwarded-For');
    expect(() => hostContext(plain({ host: undefined }), answer(), read)).toThrow('no valid Host');
  });
});

describe('a header that is added to an answer', () => {
  it('stands beside the others of its name, on Express', () => {
    const response = new ServerResponse({ method: 'GET' } as IncomingMessage);
    addHeader(response, 'set-cookie', 'a=1');
    addHeader(response, 'set-cookie', 'b=2');
    expect(response.getHeader('set-cookie')).toEqual(['a=1', 'b=2']);
  });

  it('stands beside the others of its name, on Fastify', async () => {
    const server = Fastify();
    server.get('/', (_request, reply) => {
      addHeader(reply as never, 'set-cookie', 'a=1');
      addHeader(reply as never, 'set-cookie', 'b=2');
      return 'here';
    });
    expect((await server.inject({ url: '/' })).headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });
});

describe('a caller who hangs up', () => {
  /** Asks a server whose answer is written by a function, and gives the signal of the request. */
  async function signalOf(
    write: (answer: ServerResponse, hangUp: () => void) => void,
  ): Promise<{ signal: AbortSignal; closed: Promise<void> }> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const call = httpRequest({ port, host: '127.0.0.1' }, (response) => response.resume());
    call.on('error', () => undefined);
    return new Promise((found) => {
      server.once('request', (_request: IncomingMessage, answer: ServerResponse) => {
        const closed = new Promise<void>((done) => answer.once('close', done)).finally(() => server.close());
        found({ signal: hangUpSignal(answer), closed });
        write(answer, () => call.destroy());
      });
      call.end();
    });
  }

  it('is noticed before the answer has been sent', async () => {
    const { signal, closed } = await signalOf((_answer, hangUp) => {
      hangUp();
    });
    await closed;
    expect(signal.aborted).toBe(true);
  });

  it('is one who has gone before anybody asked', () => {
    const gone = { destroyed: true, writableFinished: false, once: () => undefined };
    expect(hangUpSignal(gone).aborted).toBe(true);
  });

  it('is not one who has the whole answer', async () => {
    const { signal, closed } = await signalOf((answer) => answer.end('whole'));
    expect(signal.aborted).toBe(false);
    await closed;
    expect(signal.aborted).toBe(false);
  });
});

describe('a request from a page that is not listed', () => {
  const origin: RequestOrigin = {
    withCookie: true,
    transport: 'cookie',
    self: 'https://graph.example',
    origin: 'https://elsewhere.example',
    fetchSite: 'cross-site',
  };
  const refusal = (changes: boolean, crossSite: boolean | undefined, withCookie = true): string | undefined =>
    originRefusal(
      { origin: { ...origin, withCookie }, sessionCookie: { name: 'portico', secure: true, crossSite } },
      [],
      changes,
    )?.message;

  it('may look at what every page may see, and change nothing', () => {
    expect(refusal(false, undefined)).toBeUndefined();
    expect(refusal(true, undefined)).toMatch(/^A mutation/);
    expect(refusal(true, undefined, false)).toMatch(/^A mutation/);
  });

  it('may not even look where its cookie comes along', () => {
    expect(refusal(false, true)).toMatch(/^A request with a cookie/);
    expect(refusal(false, true, false)).toBeUndefined();
  });

  it('has a code and a reason', () => {
    const sessionCookie = { name: 'portico', secure: true };
    expect(originRefusal({ origin, sessionCookie }, [], true)).toMatchObject({
      code: 'FORBIDDEN',
      reason: 'ORIGIN_NOT_ALLOWED',
    });
  });
});
