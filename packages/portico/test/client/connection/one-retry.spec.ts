import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformHttpError, PlatformResponse, PlatformUnreachableError } from '../../../src/client/index.js';
import { type CallInFlight } from '../../../src/client/connection/calls-in-flight.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import { RetryBudget, type RetryCause, withOneRetry } from '../../../src/client/connection/retry.js';

/** A response that says whether its rest was given up. */
class Answer extends PlatformResponse {
  isAbandoned = false;

  constructor(status: number, retryAfter?: string, body = '') {
    const raw = retryAfter === undefined ? [] : ['Retry-After', retryAfter];
    super(status, new ResponseHeaders(raw), Buffer.from(body), new URL('http://h/'));
  }

  override abandon(): void {
    this.isAbandoned = true;
  }
}

const refused = (): PlatformUnreachableError => new PlatformUnreachableError('refused', 'CONNECT');
const good = (): Answer => new Answer(200);

describe('a read', () => {
  let waits: number[];
  beforeEach(() => {
    waits = [];
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** What comes of a read whose attempts bring these in turn. A long pause is not waited for. */
  async function read(outcomes: (Answer | Error)[], remaining = 1000, budget = new RetryBudget(() => 0)) {
    const causes: RetryCause[] = [];
    const cancel = new AbortController();
    let sent = 0;
    const send = (): Promise<Answer> => {
      const outcome = outcomes[sent] ?? new Error('one too many');
      sent += 1;
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    };
    const call = { signal: cancel.signal, remaining: () => remaining } as CallInFlight;
    const result = withOneRetry(
      call,
      budget,
      () => 0,
      send,
      (cause) => {
        causes.push(cause);
        waits.push(cause.waitMs);
        if (cause.waitMs > 50) cancel.abort();
      },
    );
    try {
      const response = await result;
      expect(response).toBeInstanceOf(Answer);
      return { result: response, sent, causes };
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return { result: error, sent, causes };
    }
  }

  it.each([200, 204, 301, 399, 400, 401, 404, 500, 501, 519, 525])(
    'is not repeated after HTTP %d',
    async (status) => {
      const answer = new Answer(status, '0');

      expect(await read([answer])).toEqual({ result: answer, sent: 1, causes: [] });
      expect(answer.isAbandoned).toBe(false);
    },
  );

  it.each([502, 503, 504, 520, 521, 522, 523, 524])('is repeated once after HTTP %d', async (status) => {
    const [first, second] = [new Answer(status, '0'), good()];
    const { result, sent, causes } = await read([first, second]);

    expect([result, sent, first.isAbandoned]).toEqual([second, 2, true]);
    expect(causes).toEqual([{ status, error: undefined, waitMs: 0 }]);
  });

  it('is not repeated after an error of the platform itself', async () => {
    const { sent } = await read([new Answer(503, undefined, '{"code":"ERR0013"}')]);

    expect(sent).toBe(1);
  });

  it('is repeated after HTTP 429 only if that says for how long to wait', async () => {
    const second = good();

    expect(await read([new Answer(429), second])).toMatchObject({ sent: 1 });
    expect(await read([new Answer(429, '0'), second])).toMatchObject({ result: second, sent: 2 });
  });

  it('is repeated when there was no connection, and after no other error', async () => {
    const second = good();
    const { result, causes } = await read([refused(), second]);
    expect([result, causes]).toEqual([
      second,
      [{ status: undefined, error: 'PlatformUnreachableError', waitMs: 50 }],
    ]);

    for (const error of [new PlatformUnreachableError('no name', 'DNS'), new PlatformHttpError('odd')]) {
      expect(await read([error, second])).toEqual({ result: error, sent: 1, causes: [] });
    }
  });

  it('brings what the second attempt brings', async () => {
    const error = refused();
    const last = new Answer(503);

    expect(await read([new Answer(503), error])).toMatchObject({ result: error, sent: 2 });
    expect(await read([refused(), last])).toMatchObject({ result: last, sent: 2 });
    expect(last.isAbandoned).toBe(false);
  });

  it.each([
    [0, 50],
    [0.5, 150],
    [1, 250],
  ])('waits at random, for %d of its range %d ms, or for as long as it is told', async (random, waitMs) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    await read([refused(), good()]);
    await read([new Answer(503), good()]);
    await read([new Answer(503, '7'), good()], 7001);

    expect(waits).toEqual([waitMs, waitMs, 7000]);
  });

  it('is not repeated when the pause would take all the time that is left', async () => {
    const answer = new Answer(503, '7');
    const error = refused();

    expect(await read([answer, good()], 7000)).toEqual({ result: answer, sent: 1, causes: [] });
    expect(answer.isAbandoned).toBe(false);
    expect(await read([error, good()], 0)).toEqual({ result: error, sent: 1, causes: [] });
    expect((await read([new Answer(503, '7'), good()], 7001)).causes).toHaveLength(1);
  });

  it('is ended by its signal in the pause', async () => {
    const cancel = new AbortController();
    const call = { signal: cancel.signal, remaining: () => 1000 } as CallInFlight;
    let sent = 0;
    const result = withOneRetry(
      call,
      new RetryBudget(() => 0),
      () => 0,
      () => {
        sent += 1;
        return Promise.reject<Answer>(refused());
      },
    ).catch((error: unknown) => error);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    cancel.abort(new Error('gone'));

    expect(await result).toMatchObject({ name: 'AbortError' });
    expect(sent).toBe(1);
  });

  it('is repeated while few others are: three, or a fifth of the calls in flight', () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const most = (calls: number): number => {
      const budget = new RetryBudget(() => calls);
      let begun = 0;
      while (budget.retry(never) !== undefined) begun += 1;
      return begun;
    };

    expect([0, 15, 16, 20, 100].map(most)).toEqual([3, 3, 4, 4, 20]);
  });

  it('leaves its place to others when its repetition has ended, however that ends', async () => {
    const budget = new RetryBudget(() => 0);
    const attempts = [1, 2, 3].map(() => Promise.withResolvers<string>());
    const running = attempts.map(({ promise }) => budget.retry(() => promise));
    expect(budget.retry(() => Promise.resolve())).toBeUndefined();
    const answer = new Answer(503);
    expect(await read([answer, good()], 1000, budget)).toEqual({ result: answer, sent: 1, causes: [] });

    attempts[0]?.reject(new Error('lost'));
    await expect(running[0]).rejects.toThrow('lost');
    attempts[1]?.resolve('done');
    expect(await running[1]).toBe('done');

    expect((await read([new Answer(503), good()], 1000, budget)).sent).toBe(2);
    expect([1, 2, 3].map(() => budget.retry(() => new Promise(() => undefined)) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
