import { Agent as HttpAgent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type PlainResponse } from 'got';
import {
  MAX_HEADER_BYTES,
  MAX_SOCKETS,
  type HopRequest,
  type HopResponse,
  type Transport,
} from './transport.js';
import { endWithAnswer } from './got-answer.js';
import { dropUnaskedBytes } from './idle-sockets.js';
import { type TlsTrust } from './tls-trust.js';

/** Sends a hop with got, on Node's own HTTP client. */
export class GotTransport implements Transport {
  readonly #agents: { http: HttpAgent; https: HttpsAgent };
  readonly #oneHop;

  constructor(trust: TlsTrust) {
    const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS };
    this.#agents = { http: new HttpAgent(sockets), https: new HttpsAgent({ ...sockets, ...trust }) };
    dropUnaskedBytes(this.#agents.http);
    dropUnaskedBytes(this.#agents.https);
    this.#oneHop = got.extend({
      agent: this.#agents,
      https: {
        rejectUnauthorized: trust.rejectUnauthorized,
        ...(trust.ca === undefined ? {} : { certificateAuthority: trust.ca }),
      },
      followRedirect: false,
      retry: { limit: 0 },
      throwHttpErrors: false,
      decompress: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  send({ method, url, headers, body, signal }: HopRequest): Promise<HopResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.#oneHop.stream(url, {
        method: method as 'GET',
        headers: { 'user-agent': undefined, ...headers },
        signal,
        ...(body === undefined ? {} : { body }),
      });
      stream.on('error', reject);
      // got waits for a piped body where the method may have one.
      if (body === undefined && method !== 'GET' && method !== 'HEAD') stream.end();
      // Node silently drops header fields after the 1,000th; the byte limit bounds them too.
      stream.once('request', (request: ClientRequest) => {
        request.maxHeadersCount = 0;
        endWithAnswer(request);
      });
      stream.once('response', ({ statusCode, rawHeaders }: PlainResponse) => {
        resolve({ status: statusCode, rawHeaders, body: stream });
      });
    });
  }

  close(): Promise<void> {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    return Promise.resolve();
  }
}
