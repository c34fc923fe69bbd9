import { describe, expect, it } from 'vitest';
import { PlatformError, type PlatformSession } from '../../../../src/client/index.js';
import { gate } from '../../../support/gate.js';
import { openSession } from '../../../support/client/logged-in.js';
import { startRawAnswerServer } from '../../../support/embedded-platform/raw-answer-server.js';
import { eventually } from '../../../support/eventually.js';
import { FRAMING } from './framing.rows.js';
import { HEADS } from './head.rows.js';
import { CODINGS, TEXTS } from './label.rows.js';
import { bytesOf, givenBy, type Row, value, VALUE } from './row.js';

/** Larger answers are not sent byte by byte. */
const SMALL = 1000;

async function resultOf(session: PlatformSession, path: string): Promise<object> {
  try {
    const response = await session.request('POST', path, { includeAuth: false });
    return { status: response.status, text: response.text() };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return error;
  }
}

function bytewise(row: Row): Uint8Array[] | undefined {
  const bytes = bytesOf(row);
  return bytes === undefined || bytes.byteLength > SMALL
    ? undefined
    : Array.from(bytes, (byte) => Uint8Array.of(byte));
}

describe.each(['got', 'undici'] as const)('by %s,', (transport) => {
  describe.each<[string, readonly Row[]]>([
    ['an answer', FRAMING],
    ['an answer with', HEADS],
    ['a body in', CODINGS],
    ['a body in', TEXTS],
  ])('%s', (_group, rows) => {
    it.each(rows.map((row): [string, Row] => [row.title, row]))('%s', async (_title, row) => {
      const slow = bytewise(row);
      const server = await startRawAnswerServer({
        'POST row': row,
        ...(slow && { 'POST slow': { ...row, parts: slow } }),
        '*': { parts: value() },
      });
      const session = openSession(server.baseUrl, { transport });

      const gives = givenBy(transport, row);

      if (slow !== undefined) {
        expect(await resultOf(openSession(server.baseUrl, { transport }), 'slow')).toMatchObject(
          row.whenSlow ?? gives,
        );
      }
      expect(await resultOf(session, 'row')).toMatchObject(gives);
      expect(await resultOf(session, 'row')).toMatchObject(gives);
      expect(server.count('POST row')).toBe(2);
      // Nothing that is left on the connection becomes the next answer.
      expect(await resultOf(session, 'next')).toEqual(VALUE);
    });
  });

  it('an answer that nobody asked for is not given to the next request on its connection', async () => {
    const unasked = gate();
    const server = await startRawAnswerServer({
      'POST first': { parts: [value(), () => unasked.passed, value().replace('U', 'S')] },
      '*': { parts: value() },
    });
    const session = openSession(server.baseUrl, { transport });

    expect(await resultOf(session, 'first')).toEqual(VALUE);
    unasked.open();
    await eventually(() => server.openConnections === 0);

    expect(await resultOf(session, 'next')).toEqual(VALUE);
    expect(server.connections).toBe(2);
  });
});
