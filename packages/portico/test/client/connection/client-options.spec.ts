import { describe, expect, it } from 'vitest';
import {
  type CircuitChange,
  type PlatformClientOptions,
  PlatformUnreachableError,
} from '../../../src/client/index.js';
import { CLIENT_OPTIONS, readClientSettings } from '../../../src/client/connection/client-options.js';
import { type CallInFlight } from '../../../src/client/connection/calls-in-flight.js';

const baseUrl = 'http://platform.example/api';
const LONGEST_MS = 2 ** 31 - 1;
const read = (options: object): ReturnType<typeof readClientSettings> =>
  readClientSettings({ baseUrl, ...options });

describe('the settings of a client', () => {
  it('have their defaults where nothing but the base URL is given, and where an option is undefined', () => {
    const undefinedOptions = Object.fromEntries(Object.keys(CLIENT_OPTIONS).map((name) => [name, undefined]));
    for (const settings of [read({}), read({ ...undefinedOptions, misspelled: undefined, baseUrl })]) {
      expect(settings).toMatchObject({
        baseUrl: new URL('http://platform.example/api/'),
        maxRedirects: 30,
        timeoutMs: 8000,
        queueTimeoutMs: 60_000,
        applicationType: 8,
        maxResponseBytes: 4_194_304,
        maxCallsPerSession: 8,
        listCache: undefined,
        now: Date.now,
        onCall: undefined,
        observeCall: undefined,
      });
      expect(settings.vendorHeaders.authToken).toBe('X-SVC-AuthToken');
      expect(settings.makeCircuits()).toBeUndefined();
      expect(() => {
        settings.onUnusableCookie({ name: 's', problem: 'path' });
      }).not.toThrow();
    }
  });

  it('are what is given', () => {
    const given = {
      maxRedirects: 0,
      timeoutMs: 1,
      queueTimeoutMs: LONGEST_MS,
      applicationType: 0,
      maxResponseBytes: 1,
      maxCallsPerSession: 1,
      listCache: new Map<string, object[]>(),
      now: () => 5,
      onCall: () => undefined,
      observeCall: () => undefined,
    };

    expect(read(given)).toMatchObject(given);
    expect(read({ vendor: 'Own' }).vendorHeaders.authToken).toBe('X-Own-AuthToken');
    expect(read({ iserverMessages: { '-1': 'Call Ann.' } }).iserverMessages.get('-1')).toBe('Call Ann.');
  });

  it.each<[string, object]>([
    ['maxRedirects must be an integer from 0 to 9007199254740991.', { maxRedirects: -1 }],
    ['maxRedirects', { maxRedirects: 2 ** 53 }],
    ['timeoutMs must be an integer from 1 to 2147483647.', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: LONGEST_MS + 1 }],
    ['timeoutMs', { timeoutMs: '5' }],
    ['queueTimeoutMs', { queueTimeoutMs: 0 }],
    ['queueTimeoutMs', { queueTimeoutMs: LONGEST_MS + 1 }],
    ['applicationType', { applicationType: -1 }],
    ['maxResponseBytes', { maxResponseBytes: 0 }],
    ['maxCallsPerSession', { maxCallsPerSession: 0 }],
    ['maxCallsPerSession', { maxCallsPerSession: 1.5 }],
    ['transport must be "got" or "undici".', { transport: 'toString' }],
    ['timeout: unknown option; it is not a known name; do you mean timeoutMs?', { timeout: 5 }],
  ])('are refused by name: %s %j', (problem, options) => {
    expect(() => read(options)).toThrow(TypeError);
    expect(() => read(options)).toThrow(problem);
  });

  it.each([undefined, null, 'http://platform.example/api', 5])('are never %s', (options) => {
    expect(() => readClientSettings(options as never)).toThrow(
      'baseUrl is required: pass an object of options that contains it.',
    );
  });

  it.each(['got', 'undici'] as const)('make a transport of %s', async (transport) => {
    const made = read({ transport }).makeTransport();

    expect((await made.made()).constructor.name.toLowerCase()).toBe(`${transport}transport`);
    await made.close();
  });
});

describe('the observers of a client', () => {
  it('hear of unusable cookies, and what they throw changes nothing', () => {
    const cookies: unknown[] = [];
    const cookie = { name: 's', problem: 'path' } as const;
    const onUnusableCookie = (seen: unknown): never => {
      cookies.push(seen);
      throw new Error('An observer failed.');
    };

    expect(() => {
      read({ onUnusableCookie }).onUnusableCookie(cookie);
    }).not.toThrow();
    expect(cookies).toEqual([cookie]);
  });

  it.each([true, false])('hear of a circuit that opens, if there is one: %s', async (isGiven) => {
    const changes: CircuitChange[] = [];
    const observer: Partial<PlatformClientOptions> = { onCircuitChange: (change) => changes.push(change) };
    const circuits = read({ circuitBreaker: true, ...(isGiven && observer) }).makeCircuits();
    const call = { endedBy: undefined } as CallInFlight;
    const fail = (): Promise<never> => Promise.reject(new PlatformUnreachableError('gone', 'CONNECT'));

    let failure: unknown;
    for (let n = 0; n < 100; n += 1) {
      await circuits?.data.run([`session ${n}`], call, fail).catch((error: unknown) => (failure = error));
    }

    expect(failure).toMatchObject({ reason: 'CIRCUIT_OPEN' });
    expect(changes).toMatchObject(isGiven ? [{ circuit: 'data', isOpen: true }] : []);
  });
});
