import { type Readable } from 'node:stream';
import { isAuthPath } from './base-url.js';
import { withCallReport } from './call-report.js';
import { type Circuits } from './resilience/circuits.js';
import { type PlatformClientOptions } from './client-options.js';
import { readClientSettings, type ClientSettings } from './client-settings.js';
import { InFlightCalls } from './resilience/in-flight-calls.js';
import { withDeadline, type Deadline } from './resilience/deadline.js';
import { PlatformError } from '../errors/platform-error.js';
import { PlatformHttpError } from '../errors/error-classes.js';
import { PlatformResponse } from './response/platform-response.js';
import { followRedirects, type RequestLine } from './redirects.js';
import { ResponseHeaders } from './response/response-headers.js';
import { RetryBudget, withOneRetry } from './resilience/retry.js';
import { networkFailure } from './transport/network-failure.js';
import { decodeBody } from './transport/decode-body.js';
import { readBody } from './transport/read-body.js';
import { type Transport } from './transport/transport.js';

/** One call of a session. */
export interface Exchange {
  readonly line: RequestLine;
  /** Path below the base URL of the session. */
  readonly path: string;
  /** Headers of one hop: its cookies depend on the URL, its content type on whether it still has a body. */
  readonly headersOf: (line: RequestLine) => Record<string, string>;
  /** Called with each redirect before it is followed. */
  readonly onRedirect: (response: PlatformResponse) => void;
  /** False for login and delegate: redirects are failures. */
  readonly mayFollow: boolean;
  /** Whether a transient failure is retried once: only for reads. */
  readonly mayRetry: boolean;
  readonly signal?: AbortSignal | undefined;
}

const MAX_HEADER_FIELDS = 1000;

/** The connection to one platform: settings and sockets; circuit, deadline, retry, redirects and hop, in this order. It knows no session. */
export class PlatformConnection {
  readonly settings: ClientSettings;
  readonly #transport: Transport;
  readonly #circuits: Circuits | undefined;
  readonly #inFlight = new InFlightCalls();
  readonly #retries = new RetryBudget();

  /** @throws TypeError that names the unusable option */
  constructor(options: PlatformClientOptions) {
    this.settings = readClientSettings(options);
    this.#transport = this.settings.makeTransport();
    this.#circuits = this.settings.makeCircuits();
  }

  /** Makes the call and returns the response, whatever its status. Rejects only with a `PlatformError`. */
  async exchange(call: Exchange): Promise<PlatformResponse> {
    const { timeoutMs, maxRedirects, now, onCall } = this.settings;
    const { path, line } = call;
    const make = (deadline: Deadline): Promise<PlatformResponse> => {
      const hop = (line: RequestLine): Promise<PlatformResponse> => this.#hop(line, call, deadline.signal);
      const send = (): Promise<PlatformResponse> =>
        call.mayFollow ? followRedirects(call.line, maxRedirects, hop, call.onRedirect) : hop(call.line);
      return call.mayRetry ? withOneRetry(deadline, this.#retries, now, send) : send();
    };
    return this.#inFlight.run((closed) => {
      const exchanged = (): Promise<PlatformResponse> =>
        withCallReport({ method: line.method, path }, onCall, () =>
          withDeadline(timeoutMs, [call.signal, closed], make),
        );
      return this.#retries.count(
        () => this.#circuits?.run(isAuthPath(path) ? 'auth' : 'data', exchanged) ?? exchanged(),
      );
    });
  }

  async #hop(line: RequestLine, call: Exchange, signal: AbortSignal): Promise<PlatformResponse> {
    const request = { ...line, headers: call.headersOf(line), signal };
    try {
      const { status, rawHeaders, body } = await this.#transport.send(request);
      const headers = new ResponseHeaders(rawHeaders);
      const bytes = await this.#bodyOf(body, headers);
      if (headers.fields.filter(([name]) => !/^set-cookie$/i.test(name)).length > MAX_HEADER_FIELDS) {
        throw new PlatformHttpError(`The response has more than ${MAX_HEADER_FIELDS} header fields.`);
      }
      return new PlatformResponse(status, headers, bytes.body, line.url, bytes.isDecoded);
    } catch (error) {
      throw error instanceof PlatformError ? error : networkFailure(error);
    }
  }

  /** The body, or its bytes as they came where they are not in the coding of their label: the status still counts then. */
  async #bodyOf(body: Readable, headers: ResponseHeaders): Promise<{ body: Buffer; isDecoded: boolean }> {
    const { maxResponseBytes } = this.settings;
    const codings = headers.valuesOf('content-encoding').join(',');
    if (codings === '') return { body: await readBody(body, maxResponseBytes), isDecoded: true };
    // What is packed may be a little larger than what it holds.
    const packed = await readBody(body, 2 * maxResponseBytes);
    const unpacked = await decodeBody(packed, codings, maxResponseBytes);
    return { body: unpacked ?? packed, isDecoded: unpacked !== undefined };
  }

  /** Closes the sockets. Calls in flight fail, and later calls are refused. */
  close(): Promise<void> {
    this.#inFlight.close();
    return this.#transport.close();
  }
}
