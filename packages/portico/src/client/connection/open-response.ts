import { type Readable } from 'node:stream';
import { PlatformTimeoutError } from '../../errors/error-classes.js';
import { PlatformError } from '../../errors/platform-error.js';
import { networkFailure } from '../transport/network-failure.js';
import { decodedStream, tooLarge } from '../transport/read-body.js';
import { type HopResponse } from '../transport/transport.js';
import { type CallInFlight } from './calls-in-flight.js';
import { PlatformResponse } from './platform-response.js';
import { ResponseHeaders } from './headers.js';

/** Of a response that may be an error, at most this much is read before the response is passed on. */
const EXAMINED_BYTES = 64 * 1024;

/** What is read ahead of the reader, so that a small body that is never read does not keep its connection. */
const READ_AHEAD_BYTES = 64 * 1024;

/** A response that may still be arriving. As a `PlatformResponse`, its body is what has been read of it so far. */
export class OpenResponse extends PlatformResponse {
  readonly #start: Buffer;
  readonly #rest: RestOfBody | undefined;

  constructor(status: number, headers: ResponseHeaders, url: URL, start: Buffer, rest?: RestOfBody) {
    super(status, headers, start, url);
    this.#start = start;
    this.#rest = rest;
  }

  /** The whole body. It may be asked for once. */
  body(): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
    return this.#rest?.stream(this.#start) ?? (this.#start as Buffer<ArrayBuffer>);
  }

  override abandon(): void {
    this.#rest?.end();
  }
}

/** What receiving a response needs besides the response. */
export interface Receiving {
  readonly method: string;
  readonly url: URL;
  readonly call: CallInFlight;
  /** Decoded bytes; undefined for any number. */
  readonly maxBytes: number | undefined;
  /** Keeps the connection for the rest of the body. Returns what gives it back. */
  readonly keep: () => () => void;
}

/**
 * Receives a response up to the point where it is known not to be an error payload: none of it if its type is that of
 * a file or a stream of events; otherwise its first part, or all of it if it looks like an error payload.
 */
export async function receiveOpen(
  { status, rawHeaders, body }: HopResponse,
  receiving: Receiving,
): Promise<OpenResponse> {
  const { method, url, call, maxBytes, keep } = receiving;
  const headers = new ResponseHeaders(rawHeaders);
  const isEmpty = method === 'HEAD' || headers.valuesOf('content-length')[0] === '0';
  const decoded = isEmpty ? body : await decodedStream(body, headers.valuesOf('content-encoding').join(','));
  const chunks = countedChunks(decoded, maxBytes);
  const examined: Buffer[] = [];
  let bytes = 0;
  while (isEmpty || mustSeeMore(status, headers, examined, bytes)) {
    const next = await chunks.next();
    if (next.done === true) return new OpenResponse(status, headers, url, Buffer.concat(examined));
    examined.push(next.value);
    bytes += next.value.byteLength;
  }
  const rest = new RestOfBody(chunks, body, call, keep());
  return new OpenResponse(status, headers, url, Buffer.concat(examined), rest);
}

/** Types that error payloads come with, from any sender. */
const MAY_BE_ERROR = /^\s*(?:$|(?:application|text)\/(?:[\w.-]+\+)?json\s*(?:[;,]|$)|text\/(?:plain|html))/i;
const IS_JSON = /^\s*(?:$|(?:application|text)\/(?:[\w.-]+\+)?json\s*(?:[;,]|$))/i;

function mustSeeMore(
  status: number,
  headers: ResponseHeaders,
  examined: readonly Buffer[],
  bytes: number,
): boolean {
  if (bytes >= EXAMINED_BYTES) return false;
  if (status < 200 || status > 299) return true;
  const type = headers.valuesOf('content-type')[0] ?? '';
  const [first] = examined;
  if (first === undefined) return MAY_BE_ERROR.test(type);
  return IS_JSON.test(type) && /^\s*[[{]/.test(first.toString('latin1', 0, 64));
}

async function* countedChunks(body: Readable, maxBytes = Infinity): AsyncGenerator<Buffer, undefined> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
  return undefined;
}

/**
 * The part of a body that has not been read. It holds the connection until it ends, is given up, or does not move for
 * `timeoutMs`: because the platform sends nothing, or because the body is not read.
 */
export class RestOfBody {
  readonly #chunks: AsyncGenerator<Buffer, undefined>;
  readonly #body: Readable;
  readonly #call: CallInFlight;
  readonly #release: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isReading = false;
  #hasEnded = false;

  constructor(
    chunks: AsyncGenerator<Buffer, undefined>,
    body: Readable,
    call: CallInFlight,
    release: () => void,
  ) {
    this.#chunks = chunks;
    this.#body = body;
    this.#call = call;
    this.#release = release;
    call.renew();
    call.signal.addEventListener('abort', this.#onAbort);
  }

  /** @param start what has been read of the body already */
  stream(start: Buffer): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          if (start.byteLength > 0) controller.enqueue(start);
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.end();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
    );
  }

  /** Gives back the connection, and closes it if the body is not complete. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#call.signal.removeEventListener('abort', this.#onAbort);
    this.#body.on('error', () => undefined);
    this.#body.destroy();
    this.#release();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#isReading = true;
    try {
      const next = await this.#chunks.next();
      if (this.#hasEnded) return;
      this.#call.renew();
      if (next.done === true) {
        controller.close();
        this.end();
      } else controller.enqueue(next.value);
    } catch (error) {
      this.#fail(error instanceof PlatformError ? error : networkFailure(error));
    } finally {
      this.#isReading = false;
    }
  }

  readonly #onAbort = (): void => {
    const { endedBy } = this.#call;
    const isUnread = endedBy instanceof PlatformTimeoutError && !this.#isReading;
    this.#fail(isUnread ? new PlatformTimeoutError(UNREAD) : (endedBy ?? networkFailure(undefined)));
  };

  #fail(error: PlatformError): void {
    this.end();
    // As in any fetch, an aborted body fails with the reason of the signal.
    this.#controller?.error(error.kind === 'cancelled' ? error.cause : error);
  }
}

const UNREAD =
  'The body of the response was not read for as long as timeoutMs, and its connection was given back. Read it or ' +
  'cancel it sooner, or raise timeoutMs.';
