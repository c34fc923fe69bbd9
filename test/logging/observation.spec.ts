import { describe, expect, it } from 'vitest';
import { Observation } from '../../src/logging/observation.js';

const STEP = { kind: 'session_store', operation: 'read' } as const;
const CALL = { method: 'GET', path: 'projects' };
const fail = (): never => {
  throw new Error('the observer fails');
};

describe('what happens in the service', () => {
  it('reaches each observer, whatever the others do', () => {
    const observation = new Observation();
    const seen: unknown[] = [];
    observation.add({ sessionEvent: fail, circuitChange: fail });
    observation.add({});
    observation.add({
      sessionEvent: ({ kind }) => seen.push(kind),
      circuitChange: ({ circuit }) => seen.push(circuit),
    });

    observation.tell('sessionEvent', { kind: 'login' });
    observation.tell('circuitChange', { circuit: 'auth', isOpen: true, openMs: 5000 });

    expect(seen).toEqual(['login', 'auth']);
  });

  it('runs a step inside all observers, and returns its result', async () => {
    const observation = new Observation();
    const order: string[] = [];
    for (const name of ['first', 'second']) {
      observation.add({
        step: async ({ operation }, work) => {
          order.push(`${name} ${operation}`);
          return work().finally(() => order.push(`${name} ended`));
        },
      });
    }

    await expect(observation.step(STEP, () => Promise.resolve(7))).resolves.toBe(7);
    const failure = new Error('of the store');
    await expect(observation.step(STEP, () => Promise.reject(failure))).rejects.toBe(failure);
    const once = ['second read', 'first read', 'first ended', 'second ended'];
    expect(order).toEqual([...once, ...once]);
  });

  it('lets several observers follow one call to the platform', () => {
    const observation = new Observation();
    expect(observation.platformCall(CALL)).toBeUndefined();
    const seen: string[] = [];
    observation.add({ platformCall: () => ({ headers: { a: '1' }, ended: () => seen.push('one') }) });
    observation.platformCall(CALL)?.ended?.({ ...CALL, status: 200, milliseconds: 1 });
    observation.add({ platformCall: () => ({ redirected: fail, ended: fail }) });
    observation.add({ platformCall: fail });
    observation.add({
      platformCall: () => ({
        headers: { b: '2' },
        redirected: (status) => seen.push(`redirect ${status}`),
        retried: ({ waitMs }) => seen.push(`retry ${waitMs}`),
        ended: (_call, error) => seen.push(`two ${String(error)}`),
      }),
    });

    const observer = observation.platformCall(CALL);
    observer?.redirected?.(302);
    observer?.retried?.({ status: 503, error: undefined, waitMs: 50 });
    observer?.ended?.({ ...CALL, status: 200, milliseconds: 1 }, 'gone');

    expect(observer?.headers).toEqual({ a: '1', b: '2' });
    expect(seen).toEqual(['one', 'redirect 302', 'retry 50', 'one', 'two gone']);
  });
});
