import { reported } from './call-report.js';
import { type Circuits } from './resilience/circuits.js';
import { type PlatformClientOptions } from './client-options.js';
import { readSettings, type ClientSettings } from './client-settings.js';
import { Closing } from './resilience/in-flight-calls.js';
import { withDeadline, type Deadline } from './resilience/deadline.js';
import { PlatformError } from '../errors/platform-error.js';
import { PlatformHttpError } from '../errors/error-classes.js';
import { PlatformResponse } from './response/platform-response.js';
import { followRedirects, type RequestLine } from './redirects.js';
import { ResponseHeaders } from './response/response-headers.js';
import { RetryBudget } from './resilience/retry-budget.js';
import { withOneRetry } from './resilience/retry.js';
import { networkFailure } from './transport/network-failure.js';
import { readBody } from './transport/read-body.js';
import { type Transport } from './transport/transport.js';

/** One call as the session wants it made. */
export interface Exchange {
  readonly line: RequestLine;
  /** Path below the base URL of the session. */
  readonly path: string;
  /** Headers of one hop: cookies depend on its URL, the content type on whether it still has a body. */
  readonly headersOf: (line: RequestLine) => Record<string, string>;
  /** Told of each redirect before it is followed. */
  readonly onRedirect: (response: PlatformResponse) => void;
  /** False for login and delegate: nothing is followed, nothing repeated. */
  readonly mayFollow: boolean;
  readonly mayRepeat: boolean;
  readonly signal?: AbortSignal | undefined;
}

const MAX_HEADER_FIELDS = 1000;

/** The way to one platform: settings, sockets, and the order of circuit, deadline, retry, redirects and hop. Knows no session. */
export class PlatformConnection {
  readonly settings: ClientSettings;
  readonly #transport: Transport;
  readonly #circuits: Circuits | undefined;
  readonly #closing = new Closing();
  readonly #retries = new RetryBudget();

  /** @throws TypeError that names the option that cannot be used */
  constructor(options: PlatformClientOptions) {
    this.settings = readSettings(options);
    this.#transport = this.settings.makeTransport();
    this.#circuits = this.settings.makeCircuits();
  }

  /** Makes the call; any status is an answer. Rejects with a kind of `PlatformError` only. */
  async exchange(call: Exchange): Promise<PlatformResponse> {
    const { timeoutMs, maxRedirects, now, onCall } = this.settings;
    const { path, line } = call;
    const make = (deadline: Deadline): Promise<PlatformResponse> => {
      const hop = (line: RequestLine): Promise<PlatformResponse> => this.#hop(line, call, deadline.signal);
      const send = (): Promise<PlatformResponse> =>
        call.mayFollow ? followRedirects(call.line, maxRedirects, hop, call.onRedirect) : hop(call.line);
      return call.mayRepeat ? withOneRetry(deadline, this.#retries, now, send) : send();
    };
    return this.#closing.guard((closed) => {
      const exchanged = (): Promise<PlatformResponse> =>
        reported({ method: line.method, path }, onCall, () =>
          withDeadline(timeoutMs, [call.signal, closed], make),
        );
      return this.#retries.count(() => this.#circuits?.of(path).run(exchanged) ?? exchanged());
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
        throw new PlatformHttpError(
          `The answer of the platform has more than ${MAX_HEADER_FIELDS} header fields.`,
        );
      }
      return new PlatformResponse(status, headers, bytes, line.url);
    } catch (error) {
      throw error instanceof PlatformError ? error : networkFailure(error);
    }
  }

  /** Closes the sockets; calls in flight fail, and no more are made. */
  close(): Promise<void> {
    this.#closing.close();
    return this.#transport.close();
  }
}
