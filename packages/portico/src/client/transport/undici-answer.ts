import { type Dispatcher } from 'undici';
import { MAX_INTERIM_RESPONSES, ProtocolViolation } from './transport.js';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** Reports each answer as Node's own HTTP client reports it, where undici differs. */
export const readAsNodeDoes: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new AnswerHandler(handler));

class AnswerHandler implements Handler {
  readonly #handler: Handler;
  #interimResponses = 0;
  /** Undefined before the final status line. */
  #headers: Record<string, string | string[] | undefined> | undefined;
  #received = 0;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(...answer: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    const [controller, status, headers] = answer;
    if (status >= 200) this.#headers = headers;
    else if (++this.#interimResponses > MAX_INTERIM_RESPONSES) {
      controller.abort(new ProtocolViolation('HPE_TOO_MANY_INTERIM'));
      return;
    }
    this.#handler.onResponseStart?.(...answer);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#received += chunk.byteLength;
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(
    controller: Controller,
    trailers: Parameters<NonNullable<Handler['onResponseEnd']>>[1],
  ): void {
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Controller, error: Error): void {
    // undici misreads a length with a space after it, and then finds the complete body too short.
    if (codeOf(error) === LENGTH_MISMATCH && this.#isComplete())
      this.#handler.onResponseEnd?.(controller, {});
    else this.#handler.onResponseError?.(controller, this.#named(error));
  }

  #isComplete(): boolean {
    const length = this.#headers?.['content-length'];
    return typeof length === 'string' && Number(length.trim()) === this.#received;
  }

  /** Broken framing is a protocol error, whatever undici calls it. */
  #named(error: Error): Error {
    const code = codeOf(error);
    // Before the status line is complete, the mismatch is in the header section: two lengths, or one that is not a number.
    if (code === LENGTH_MISMATCH && this.#headers === undefined) {
      return new ProtocolViolation('HPE_INVALID_CONTENT_LENGTH');
    }
    if (code === 'ERR_ASSERTION' || /^bad (?:response|upgrade)$/.test(error.message)) {
      return new ProtocolViolation('HPE_INVALID_STATUS');
    }
    // The connection ended within a chunk, after `Connection: close`. undici's parser gives no code for it.
    if (error.message.endsWith('(Invalid EOF state)')) {
      return Object.assign(new Error('The body ended early.'), { code: 'ECONNRESET' });
    }
    return error;
  }
}

function codeOf(error: Error): unknown {
  return (error as { code?: unknown }).code;
}
