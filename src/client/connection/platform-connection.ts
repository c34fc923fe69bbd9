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
      const hasBody = line.method !== 'HEAD' && status !== 204 && status !== 304;
      const encoding = hasBody ? headers.valuesOf('content-encoding').join(', ') : undefined;
      const bytes = await readBody(body, encoding, this.settings.maxResponseBytes);
      if (headers.fields.filter(([name]) => !/^set-cookie$/i.test(name)).length > MAX_HEADER_FIELDS) {
        throw new PlatformHttpError(`The response has more than ${MAX_HEADER_FIELDS} header fields.`);
      }
      return new PlatformResponse(status, headers, bytes, line.url);
    } catch (error) {
      throw error instanceof PlatformError ? error : networkFailure(error);
    }
  }

  /** Closes the sockets. Calls in flight fail, and later calls are refused. */
  close(): Promise<void> {
    this.#inFlight.close();
    return this.#transport.close();
  }
}
