import { afterEach, describe, expect, it, vi } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { type FetchSecret, SharedSecret } from '../../../src/credentials/providers/shared-secret.js';
import { holdTimers } from '../../support/client/hold-timers.js';

describe('a secret', () => {
  it.each([[undefined], [null], ['']])('of which the store says %j is EMPTY', async (text) => {
    const origin = { store: 'secrets_manager', secret: 'prod/portico' } as const;
    const open = (): Promise<FetchSecret> => Promise.resolve(() => Promise.resolve(text));
    const secret = new SharedSecret({ origin, open, reasonOf: () => 'UNREACHABLE' }, {}).field();

    await expect(secret()).rejects.toMatchObject({ reason: 'EMPTY' });
  });
});

describe('a secret whose SDK', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is never ready is given up after 5 seconds, and opened again by the next fetch', async () => {
    holdTimers('setTimeout');
    let opened = 0;
    const open = (): Promise<FetchSecret> => {
      opened += 1;
      return opened === 1
        ? new Promise<never>(() => undefined)
        : Promise.resolve(() => Promise.resolve('text'));
    };
    const origin = { store: 'secrets_manager', secret: 'prod/portico' } as const;
    const secret = new SharedSecret({ origin, open, reasonOf: () => 'UNREACHABLE' }, {}).field();

    const first = expect(secret()).rejects.toMatchObject({ reason: 'TIMEOUT' });
    await setImmediate();
    vi.advanceTimersByTime(5000);
    await first;

    expect(await secret()).toBe('text');
    expect(await secret()).toBe('text');
    expect(opened).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
