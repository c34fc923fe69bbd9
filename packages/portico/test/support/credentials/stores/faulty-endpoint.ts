import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { makeCertificate } from '../../client/certificate.js';

/** What an endpoint answers that fails. */
export const FAULT_ANSWERS = {
  '400 with HTML': { status: 400, headers: { 'content-type': 'text/html' }, body: '<html>What?</html>' },
  '403': { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"refused"}' },
  '404': { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"nothing here"}' },
  '429': { status: 429, headers: { 'content-type': 'application/json' }, body: '{"message":"too many"}' },
  '500 with HTML': { status: 500, headers: { 'content-type': 'text/html' }, body: '<html>It broke</html>' },
  '502 with HTML': {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html>Bad gateway</html>',
  },
  '503': { status: 503, headers: {}, body: '' },
  '503 with HTML': { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>Back soon</html>' },
  'malformed JSON': { status: 200, headers: { 'content-type': 'application/json' }, body: '{"half' },
} as const;

export type FaultAnswer = keyof typeof FAULT_ANSWERS;

/** How an endpoint may fail: by an answer, or without one. */
export type Fault = FaultAnswer | 'refused' | 'hang' | 'wrong TLS';

export interface FaultyEndpoint {
  readonly url: string;
  readonly port: number;
  /** How many requests have come. */
  readonly requests: number;
  close(): Promise<void>;
}

/** The port of the discard service, where nothing listens. */
const CLOSED_PORT = 9;

/** Starts an endpoint on a free loopback port that fails whatever it is asked. */
export async function startFaultyEndpoint(fault: Fault): Promise<FaultyEndpoint> {
  if (fault === 'refused') {
    const url = `http://127.0.0.1:${CLOSED_PORT}`;
    return { url, port: CLOSED_PORT, requests: 0, close: () => Promise.resolve() };
  }
  let requests = 0;
  const answer: RequestListener = (request, response) => {
    requests += 1;
    if (fault === 'hang') return;
    const { status, headers, body } = FAULT_ANSWERS[fault as FaultAnswer];
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  };
  const server =
    fault === 'wrong TLS' ? createTlsServer(await makeCertificate(), answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${fault === 'wrong TLS' ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
