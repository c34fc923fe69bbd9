import { EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Admission } from '../../src/load/admission.js';
import { Passage } from '../../src/load/passage.js';
import { type Caller } from '../../src/http/caller.js';
import { newHandle, storeKey } from '../../src/session/handle.js';

const LOGOUT = Buffer.from('{"query":"mutation { logout { loggedOut } }"}');
const READ = Buffer.from('{"query":"{ me { id } }"}');

describe('requests whose handles nobody has found a session under', () => {
  let admission: Admission;
  beforeEach(() => {
    // A quarter of it, so two, for those of one network.
    admission = new Admission({ inFlight: 8, perSession: 4 });
  });

  function callerWith(handle = newHandle(), network = '192.0.2.1'): Caller & { presented: object } {
    return { presented: { handle, transport: 'bearer' }, network } as unknown as Caller & {
      presented: object;
    };
  }

  /** @returns lets the request leave. */
  async function enter(caller: Caller, body = READ): Promise<() => void> {
    const response = new EventEmitter();
    const passage = new Passage(response as ServerResponse);
    const leave = (): void => {
      passage.answered();
      response.emit('close');
    };
    try {
      await admission.enter(caller, passage, body);
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

  it('keep nobody out whose session began here or was found', async () => {
    const begun = newHandle();
    admission.strangers.meet(storeKey(begun));
    const found = callerWith();
    const leave = await enter(found);
    Object.assign(found.presented, { isFound: true });
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
    admission = new Admission({ inFlight: 4, perSession: 4 });
    const known = newHandle();
    admission.strangers.meet(storeKey(known));
    const leaves = [];
    for (let n = 0; n < 4; n += 1) leaves.push(await enter(callerWith(known)));
    await expect(enter(callerWith())).rejects.toMatchObject({ code: 'OVERLOADED' });
    for (const leave of leaves) leave();
    await enter(callerWith());
  });
});
