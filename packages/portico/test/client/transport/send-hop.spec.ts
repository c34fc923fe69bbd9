import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { discard, sendHop } from '../../../src/client/transport/send-hop.js';
import {
  type HopRequest,
  type HopResponse,
  ProtocolViolation,
  StaleConnectionError,
} from '../../../src/client/transport/transport.js';

const REQUEST: HopRequest = {
  method: 'GET',
  url: new URL('http://platform.example/api/reports'),
  headers: {},
  signal: new AbortController().signal,
};

function answer(status: number, ...rawHeaders: string[]): HopResponse {
  return { status, rawHeaders, body: Readable.from(['body']) };
}

/** Sends over connections that bring these in turn, and says which of them were new. */
async function sent(mayBeRepeated: boolean, ...outcomes: (HopResponse | Error)[]) {
  const areNew: boolean[] = [];
  let asked = 0;
  const transport = {
    send: (request: HopRequest): Promise<HopResponse> => {
      const outcome = outcomes[areNew.length] ?? new Error('one too many');
      areNew.push(request.needsNewConnection === true);
      expect(request).toMatchObject(REQUEST);
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
    close: () => Promise.resolve(),
  };
  const result = await sendHop(transport, REQUEST, mayBeRepeated, { requireTime: () => (asked += 1) }).catch(
    (error: unknown) => error,
  );
  return { result, areNew, asked };
}

describe('a request that may be repeated', () => {
  it('goes over a kept connection', async () => {
    const good = answer(200);

    expect(await sent(true, good)).toEqual({ result: good, areNew: [false], asked: 1 });
    expect(good.body.destroyed).toBe(false);
  });

  it('goes once more, over a new connection, if the kept one had ended', async () => {
    const good = answer(200);

    expect(await sent(true, new StaleConnectionError('ended'), good)).toEqual({
      result: good,
      areNew: [false, true],
      asked: 2,
    });
  });

  it('goes once more if the server was just giving the connection up', async () => {
    const givenUp = answer(408);
    const good = answer(200);

    expect(await sent(true, givenUp, good)).toEqual({ result: good, areNew: [false, true], asked: 2 });
    expect(givenUp.body.destroyed).toBe(true);
  });

  it('fails with the second failure, and with one that has another reason', async () => {
    const stale = new StaleConnectionError('ended');
    const other = new Error('refused');
    const second = answer(408);

    expect(await sent(true, stale, stale)).toEqual({ result: stale, areNew: [false, true], asked: 2 });
    expect(await sent(true, other)).toEqual({ result: other, areNew: [false], asked: 1 });
    expect((await sent(true, answer(408), second)).result).toBe(second);
  });
});

describe('a request that may not be repeated', () => {
  it('goes over a new connection, once', async () => {
    const late = answer(408);
    const stale = new StaleConnectionError('ended');

    expect(await sent(false, late)).toEqual({ result: late, areNew: [true], asked: 1 });
    expect(await sent(false, stale)).toEqual({ result: stale, areNew: [true], asked: 1 });
  });
});

describe('a request whose time is over', () => {
  it.each([true, false])('is not sent, whether it may be repeated or not: %s', async (mayBeRepeated) => {
    const transport = {
      send: () => Promise.reject(new Error('It was sent.')),
      close: () => Promise.resolve(),
    };
    const requireTime = (): never => {
      throw new Error('too late');
    };

    await expect(sendHop(transport, REQUEST, mayBeRepeated, { requireTime })).rejects.toThrow('too late');
  });
});

describe('an answer that the library may have misread', () => {
  const codeOf = async (response: HopResponse): Promise<unknown> => {
    const { result } = await sent(false, response);
    return result instanceof ProtocolViolation ? result.code : result === response;
  };

  it.each([
    [199, 'HPE_INVALID_STATUS'],
    [101, 'HPE_INVALID_STATUS'],
    [200, true],
  ])('has status %d: %s', async (status, outcome) => {
    expect(await codeOf(answer(status))).toBe(outcome);
  });

  it.each([
    [['chunked'], true],
    [['CHUNKED '], true],
    [[' chunked'], true],
    [['gzip, chunked'], true],
    [['gzip,  chunked  '], true],
    [['gzip', 'chunked'], true],
    [['gzip'], true],
    [['chunked, gzip'], 'HPE_INVALID_TRANSFER_ENCODING'],
    [['chunked', 'gzip'], 'HPE_INVALID_TRANSFER_ENCODING'],
    [['chunked,'], 'HPE_INVALID_TRANSFER_ENCODING'],
    [['chunked\t'], 'HPE_INVALID_TRANSFER_ENCODING'],
    [['chunked x'], 'HPE_INVALID_TRANSFER_ENCODING'],
    [[''], 'HPE_INVALID_TRANSFER_ENCODING'],
    [[' '], 'HPE_INVALID_TRANSFER_ENCODING'],
    [['', 'chunked'], 'HPE_INVALID_TRANSFER_ENCODING'],
  ])('has the transfer codings %j: %s', async (codings, outcome) => {
    const raw = codings.flatMap((coding) => ['Transfer-Encoding', coding]);

    expect(await codeOf(answer(200, 'Date', 'chunked,', ...raw))).toBe(outcome);
    expect(await codeOf(answer(200, ...raw, 'Odd'))).toBe(outcome);
  });

  it('is one by the header of that name only, and its connection is closed', async () => {
    expect(await codeOf(answer(200, 'Transfer-Encodinh', ''))).toBe(true);
    expect(await codeOf(answer(200, 'X-Transfer-Encoding', ''))).toBe(true);
    expect(await codeOf(answer(200, 'Odd', 'a', 'transfer-encoding'))).toBe(true);
    const misread = answer(200, 'transfer-ENCODING', '');

    expect(await codeOf(misread)).toBe('HPE_INVALID_TRANSFER_ENCODING');
    expect(misread.body.destroyed).toBe(true);
  });

  it('is given up without a word when its body fails later', () => {
    const { body } = answer(200);
    discard(body);

    expect(body.destroyed).toBe(true);
    expect(() => body.emit('error', new Error('late'))).not.toThrow();
  });
});
