import { FairQueue, type Party } from 'portico/internal';

/** Iterations in a row in which nothing but new connections is served, at most: a burst of a few hundred of them. */
const MOST_SKIPPED = 256;
/** How many more may be skipped after each in which requests may begin: all that there are while a flood goes on. */
const SKIPS_EARNED = 8;
/**
 * Requests that begin in one iteration: few, so that those that have begun end first, and iterations are short. With
 * fewer than four, the number of iterations costs more than it gains.
 */
const REQUESTS_PER_ITERATION = 4;
/** Requests that begin in one iteration without a turn: hundreds that arrive together would take half a second. */
const FREE_PER_ITERATION = 64;

/** A burst of connections delays heavy work for this long. */
const MOST_BURST_MS = 1000;

/**
 * After heavy work, there is no other for this part of the time that it took: a small request needs several
 * iterations, and would wait for as many pieces of heavy work. Shorter work delays nothing.
 */
const REST_SHARE = 0.25;
const MOST_REST_MS = 15;
const SHORT_MS = 5;

/** Work of many milliseconds. */
interface HeavyWork {
  readonly begin: () => void;
  /** Called after it with the milliseconds that it took. */
  readonly took: (milliseconds: number) => void;
}

/**
 * Lets new connections in before new work begins. libuv accepts one connection per iteration of the event loop, so
 * while iterations are long, callers and probes wait in the backlog behind each other, whatever is decided about
 * their requests. While connections come in, work waits for an iteration that brings none, or for the end of a short
 * burst of them.
 */
export class EventLoopPacer {
  readonly #isAlone: () => boolean;
  readonly #requests = new FairQueue<() => void>();
  readonly #heavy: HeavyWork[] = [];
  #isScheduled = false;
  #isFresh = false;
  #skipsLeft = MOST_SKIPPED;
  #free = FREE_PER_ITERATION;
  #hasSkipped = false;
  /** Whether the next iteration is measured: only then does heavy work begin in it. */
  #isMeasured = false;
  /** What began in this iteration and is not measured yet. */
  #begun: HeavyWork | undefined;
  #begunAt = 0;
  /** Whether the small requests have the time: what they wait for comes while nothing else is done. */
  #rests = false;

  /** @param isAlone whether nothing but heavy work is in flight. */
  constructor(isAlone: () => boolean = () => true) {
    this.#isAlone = isAlone;
  }

  /** A new connection has been accepted. */
  readonly connected = (): void => {
    this.#isFresh = true;
    this.#schedule();
  };

  /** Whether connections are coming in, so that a request has to wait for its turn. */
  get isBusy(): boolean {
    return this.#isFresh || this.#hasSkipped || this.#requests.waiting > 0;
  }

  /** Whether a request may begin without a turn. Counts it, then. */
  mayBegin(): boolean {
    if (this.isBusy || this.#free === 0) return false;
    if (this.#free === FREE_PER_ITERATION) setImmediate(this.#refill);
    this.#free -= 1;
    return true;
  }

  readonly #refill = (): void => {
    this.#free = FREE_PER_ITERATION;
  };

  /** How many requests wait for their turn. */
  get waiting(): number {
    return this.#requests.waiting;
  }

  /** Resolves when a request of a party may begin. */
  turn(party: Party): Promise<void> {
    return new Promise((begin) => {
      this.#requests.add(party, begin);
      this.#schedule();
    });
  }

  /** Begins work that takes many milliseconds, in an iteration without any other of its kind. */
  readonly beginHeavy = (begin: () => void, took: HeavyWork['took'] = () => undefined): void => {
    this.#heavy.push({ begin, took });
    if (!this.#rests) this.#schedule();
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
    // Runs when all that the one before has begun has come to its end, or waits for something.
    this.#isMeasured = this.#heavy.length > 0;
    if (this.#isMeasured) setImmediate(this.#measure);
  }

  readonly #next = (): void => {
    this.#isScheduled = false;
    const isFresh = this.#isFresh;
    const isMeasured = this.#isMeasured;
    const skips = isFresh && this.#skipsLeft > 0;
    this.#isFresh = false;
    this.#hasSkipped = skips;
    this.#skipsLeft = skips ? this.#skipsLeft - 1 : Math.min(MOST_SKIPPED, this.#skipsLeft + SKIPS_EARNED);
    for (let n = 0; !skips && n < REQUESTS_PER_ITERATION && this.#requests.waiting > 0; n += 1) {
      this.#requests.next()?.();
    }
    if (!skips && isMeasured && !this.#rests) this.#beginHeavy(isFresh);
    if (skips || this.#requests.waiting > 0 || (this.#heavy.length > 0 && !this.#rests)) this.#schedule();
  };

  #beginHeavy(isFresh: boolean): void {
    const now = performance.now();
    // While connections come in, each of them would wait for one of these: their backlog is emptied first.
    if (isFresh && now - this.#begunAt < MOST_BURST_MS) return;
    this.#begun = this.#heavy.shift();
    this.#begunAt = now;
    this.#begun?.begin();
  }

  readonly #measure = (): void => {
    if (this.#begun === undefined) return;
    const milliseconds = performance.now() - this.#begunAt;
    this.#begun.took(milliseconds);
    this.#begun = undefined;
    if (milliseconds < SHORT_MS || this.#isAlone()) return;
    this.#rests = true;
    setTimeout(this.#endRest, Math.min(MOST_REST_MS, milliseconds * REST_SHARE));
  };

  readonly #endRest = (): void => {
    this.#rests = false;
    if (this.#heavy.length > 0) this.#schedule();
  };
}
