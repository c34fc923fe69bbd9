import { EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../src/load/admission.js';
import { RequestSlot } from '../../src/load/request-slot.js';
import { KnownSessions, type PresentedHandle, keyOf, newHandle, storeKey } from '../../src/session/handle.js';
import { type Caller } from '../../src/http/caller.js';

const LOGOUT = Buffer.from('{"query":"mutation { logout { loggedOut } }"}');
const READ = Buffer.from('{"query":"{ me { id } }"}');

describe('requests with handles under which no session was found', () => {
  let admission: Admission;
  let sessions: KnownSessions;
  /** A quarter of the requests in flight for those of one network. */
  const admitting = (inFlight: number): Admission =>
    new Admission({ inFlight, perSession: 4, isStopping: () => false, logoutHashes: [], sessions });
  beforeEach(() => {
    sessions = new KnownSessions();
    admission = admitting(8);
  });

  function callerWith(handle = newHandle(), network = '192.0.2.1'): Caller & { presented: PresentedHandle } {
    return { presented: { handle, transport: 'bearer' }, network } as unknown as Caller & {
      presented: PresentedHandle;
    };
  }

  /** @returns lets the request leave. */
  async function enter(caller: Caller, body = READ): Promise<() => void> {
    const response = new EventEmitter();
    const slot = new RequestSlot(response as ServerResponse);
    const leave = (): void => {
      slot.answered();
      response.emit('close');
    };
    try {
      await admission.enter(caller, slot, body);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  it('count for the network that they come from, each with a handle of its own', async () => {
    await enter(callerWith());
    const leave = await enter(callerWith());
    await expect(enter(callerWith())).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(admission.refused.ADDRESS_BUSY).toBe(1);
    await enter(callerWith(undefined, '192.0.2.2'));
    leave();
    await enter(callerWith());
    await expect(enter(callerWith())).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(admission.inFlight).toBe(3);
  });

  it('keep no session out that began here or was found', async () => {
    const begun = newHandle();
    sessions.add(storeKey(begun), undefined);
    const found = callerWith();
    const leave = await enter(found);
    sessions.add(keyOf(found.presented), undefined);
    leave();
    await enter(callerWith());
    await enter(callerWith());
    for (const known of [callerWith(begun), found]) await enter(known);
    expect(admission.refused).toEqual({ SESSION_BUSY: 0, ADDRESS_BUSY: 0, SERVICE_BUSY: 0 });
  });

  it('may still be logouts', async () => {
    await enter(callerWith());
    await enter(callerWith());
    const leave = await enter(callerWith(), LOGOUT);
    leave();
    expect(admission.inFlight).toBe(2);
  });

  it('count no longer once they have been refused', async () => {
    admission = admitting(4);
    const known = newHandle();
    sessions.add(storeKey(known), undefined);
    const leaves = [];
    for (let n = 0; n < 4; n += 1) leaves.push(await enter(callerWith(known)));
    await expect(enter(callerWith())).rejects.toMatchObject({ code: 'OVERLOADED' });
    for (const leave of leaves) leave();
    await enter(callerWith());
  });
});
