import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type CircuitChange,
  ExecutionCancelledError,
  PlatformHttpError,
  PlatformResponse,
  PlatformTimeoutError,
  PlatformUnreachableError,
  QueueTimeoutError,
} from '../../../src/client/index.js';
import { type CallInFlight } from '../../../src/client/connection/calls-in-flight.js';
import { type Circuits, makeCircuits } from '../../../src/client/connection/circuits.js';
import { manualClock, type ManualClock } from '../../support/manual-clock.js';

/** Calls in ten seconds below which nothing is judged. */
const ENOUGH = 50;

describe('a circuit', () => {
  let clock: ManualClock;
  let circuits: Circuits;
  let changes: CircuitChange[];

  beforeEach(() => {
    clock = manualClock();
    vi.spyOn(Date, 'now').mockImplementation(clock.now);
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    changes = [];
    circuits = makeCircuits((change) => changes.push(change));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const answering = (status: number) => (): Promise<PlatformResponse> =>
    Promise.resolve(PlatformResponse.from({ status }));
  const failing = (error: Error) => (): Promise<PlatformResponse> => Promise.reject(error);
  const unreachable = (): PlatformUnreachableError => new PlatformUnreachableError('gone', 'CONNECT');

  /** A call of one of ten parties, and what it brings: a response or an error. */
  async function called(
    make: () => Promise<PlatformResponse>,
    endedBy?: CallInFlight['endedBy'],
    nth = 0,
  ): Promise<unknown> {
    try {
      return await circuits.data.run([`session ${nth % 10}`], { endedBy } as CallInFlight, make);
    } catch (error: unknown) {
      return error;
    }
  }
  async function often(
    make: () => Promise<PlatformResponse>,
    endedBy?: CallInFlight['endedBy'],
  ): Promise<void> {
    for (let nth = 0; nth < ENOUGH; nth += 1) await called(make, endedBy, nth);
  }
  const refusal = (seconds: number): object =>
    expect.objectContaining({
      constructor: PlatformUnreachableError,
      reason: 'CIRCUIT_OPEN',
      retryAfterSeconds: seconds,
    }) as object;

  it('gives what a call brings, while it is closed', async () => {
    const response = PlatformResponse.from({ status: 503 });
    const error = unreachable();

    expect(await called(() => Promise.resolve(response))).toBe(response);
    expect(await called(failing(error))).toBe(error);
    expect(changes).toEqual([]);
  });

  it.each<[string, () => Promise<PlatformResponse>, CallInFlight['endedBy'] | undefined]>([
    ['a failure of a gateway', answering(502), undefined],
    ['a platform that cannot be reached', failing(unreachable()), undefined],
    ['a platform that is late', failing(new Error('aborted')), new PlatformTimeoutError('late')],
  ])('opens by %s, then refuses calls and says for how long', async (_what, make, endedBy) => {
    await often(make, endedBy);

    expect(changes).toEqual([{ circuit: 'data', isOpen: true, openMs: 5000 }]);
    const never = vi.fn(answering(200));
    expect(await called(never)).toEqual(refusal(5));
    clock.advance(3001);
    expect(await called(never)).toEqual(refusal(2));
    clock.advance(1998);
    expect(await called(never)).toEqual(refusal(1));
    expect(never).not.toHaveBeenCalled();
  });

  it.each<[string, () => Promise<PlatformResponse>, CallInFlight['endedBy'] | undefined]>([
    ['errors of the platform', answering(500), undefined],
    ['unusable answers', failing(new PlatformHttpError('odd')), undefined],
    ['calls that are canceled', failing(unreachable()), new ExecutionCancelledError('gone')],
    ['calls that waited for too long', failing(unreachable()), new QueueTimeoutError('late')],
  ])('stays closed by %s', async (_what, make, endedBy) => {
    await often(make, endedBy);

    expect(changes).toEqual([]);
    expect(await called(answering(200))).toBeInstanceOf(PlatformResponse);
  });

  it('stays closed when few calls fail, although all parties that called have seen it', async () => {
    for (let nth = 0; nth < ENOUGH - 1; nth += 1) await called(failing(unreachable()), undefined, nth);

    expect(changes).toEqual([]);
  });

  it('does not count what says nothing about the platform, also when some calls fail', async () => {
    for (let nth = 0; nth < 10; nth += 1) await called(failing(unreachable()), undefined, nth);
    await often(failing(unreachable()), new ExecutionCancelledError('gone'));
    await often(failing(new PlatformHttpError('odd')));

    expect(changes).toEqual([]);
  });

  it('does not stay open because of a test whose answer is unusable', async () => {
    await often(answering(503));
    clock.advance(5000);
    const odd = new PlatformHttpError('odd');

    expect(await called(failing(odd))).toBe(odd);

    expect(await called(answering(200))).toMatchObject({ status: 200 });
  });

  it('says what ended a call, whatever that makes of it', async () => {
    const endedBy = new PlatformTimeoutError('late');

    expect(await called(failing(new Error('aborted')), endedBy)).toBe(endedBy);
  });

  it('lets one call test the platform after the pause, and closes when that has an answer', async () => {
    await often(answering(503));
    clock.advance(5000);
    const answer = Promise.withResolvers<PlatformResponse>();
    const testing = called(() => answer.promise);

    expect(await called(answering(200))).toEqual(refusal(1));
    answer.resolve(PlatformResponse.from({ status: 404 }));
    expect(await testing).toMatchObject({ status: 404 });

    expect(changes.at(-1)).toEqual({ circuit: 'data', isOpen: false, openMs: 0 });
    expect(await called(answering(200))).toMatchObject({ status: 200 });
  });

  it('stays open for another pause when its test fails', async () => {
    await often(answering(503));
    clock.advance(5000);

    expect(await called(answering(503))).toMatchObject({ status: 503 });

    expect(changes.slice(1)).toMatchObject([{ isOpen: true, openMs: 5000 }]);
    expect(await called(answering(200))).toEqual(refusal(5));
  });

  it('stays open when its test ends before the platform had its say', async () => {
    await often(answering(503));
    clock.advance(5000);
    const endedBy = new ExecutionCancelledError('gone');

    expect(await called(failing(new Error('aborted')), endedBy)).toBe(endedBy);

    expect(await called(answering(200))).toEqual(refusal(5));
  });

  it('is another one for logins', async () => {
    await often(answering(503));

    const login = circuits.auth.run(['a'], { endedBy: undefined } as CallInFlight, answering(204));

    await expect(login).resolves.toMatchObject({ status: 204 });
  });

  it('is not disturbed by its observer, and needs none', async () => {
    circuits = makeCircuits(() => {
      throw new Error('An observer failed.');
    });
    await often(answering(503));
    expect(await called(answering(200))).toEqual(refusal(5));

    circuits = makeCircuits();
    await often(answering(503));
    expect(await called(answering(200))).toEqual(refusal(5));
  });
});
