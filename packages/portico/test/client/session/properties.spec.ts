import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  InvalidRequestError,
  PlatformError,
  PlatformSession,
  SessionError,
} from '../../../src/client/index.js';
import { readBaseUrl, resolveBelow } from '../../../src/client/connection/paths.js';
import { readIServerMessages } from '../../../src/errors/iserver-codes.js';
import { PlatformResponse } from '../../../src/client/connection/platform-response.js';
import { errorOfResponse } from '../../../src/client/connection/response-error.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import { SessionCookies } from '../../../src/client/session/session-cookies.js';

const NOW = Date.UTC(2030, 0, 1);
const BASE = 'https://platform.example.com/api/';
const iserverMessages = readIServerMessages(undefined);

const contentType = fc.oneof(
  fc.constantFrom(
    undefined,
    '',
    'application/json',
    'APPLICATION/JSON; charset=utf-8',
    'text/html',
    'application/problem+json',
  ),
  fc.string(),
);

function responseOf(status: number, type: string | undefined, body: Uint8Array | string): PlatformResponse {
  return PlatformResponse.received(
    status,
    new ResponseHeaders(type === undefined ? [] : ['Content-Type', type]),
    Buffer.from(body),
    new URL(BASE),
  );
}

describe('error mapping', () => {
  const body = fc.oneof(
    fc.json(),
    fc.uint8Array({ maxLength: 200 }),
    fc
      .record(
        {
          code: fc.oneof(fc.string(), fc.constantFrom('ERR003', 'ERR0014', 'err9'), fc.jsonValue()),
          message: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
          ticketId: fc.oneof(fc.string(), fc.jsonValue()),
          iServerCode: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.jsonValue()),
        },
        { requiredKeys: [] },
      )
      .map((payload) => JSON.stringify(payload)),
    fc.array(fc.jsonValue()).map((errors) => JSON.stringify({ errors })),
  );

  it('yields a typed, bounded error for any status, content type and body', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), contentType, body, (status, type, bytes) => {
        const error = errorOfResponse(responseOf(status, type, bytes), {
          iserverMessages,
          secrets: [],
          isLogin: true,
          now: NOW,
        });

        expect(error).toBeInstanceOf(PlatformError);
        expect(error.status).toBe(status);
        expect(error.message.length).toBeLessThanOrEqual(1024);
        expect(error.message).not.toMatch(/\p{Cc}/u);
        expect(error.code).toMatch(/^(?:N\/A|[\w.-]{1,64})$/);
        expect(error.iserverCode ?? '0').toMatch(/^-?\d{1,15}$/);
        expect(error.ticketId ?? 'x').toMatch(/^[\w.-]{1,64}$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('shows no secret, wherever the platform puts it', () => {
    // Without indentation, where a secret of spaces alone would be found.
    const inOneLine = (seen: unknown): string =>
      inspect(seen, { depth: Infinity, breakLength: Infinity, compact: true });
    // No character that plain words or structure of an error are made of, so that a hit is a leak.
    const secret = fc.string({
      unit: fc.constantFrom('§', '¶', '7', 'Ω', ' ', '"', '\\', '.'),
      minLength: 4,
      maxLength: 40,
    });
    const place = fc.constantFrom('code', 'message', 'ticketId', 'iServerCode', 'IserverCode', 'other');

    fc.assert(
      fc.property(
        secret,
        fc.array(place, { minLength: 1 }),
        fc.string({ unit: 'binary' }),
        contentType,
        (hidden, places, around, type) => {
          const text = `${around}${hidden}${around}${hidden}`;
          const payload = Object.fromEntries(
            places.flatMap((key) => [
              [key, text],
              [key.toUpperCase(), hidden],
            ]),
          );
          for (const sent of [payload, { errors: [payload] }, [payload], text]) {
            const response = responseOf(400, type, JSON.stringify(sent));
            const error = errorOfResponse(response, {
              iserverMessages,
              secrets: [hidden],
              isLogin: true,
              now: NOW,
            });

            expect(inOneLine([Object.entries(error), error.message]).includes(hidden)).toBe(false);
            expect(error.message.includes(hidden)).toBe(false);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('a snapshot', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.!#$%&'*+^`|~-]{1,12}$/);
  const value = fc.stringMatching(/^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]{0,40}$/);
  const attribute = fc.constantFrom(
    '',
    '; Path=/',
    '; Path=/api; HttpOnly',
    '; Path=/api/projects; Secure',
    '; Domain=example.com',
    '; Domain=.platform.example.com; SameSite=None; Secure',
    '; Domain=elsewhere.org',
    '; Max-Age=60; SameSite=Strict',
    '; Max-Age=0',
    '; Max-Age=99999999999999999999',
    '; Expires=Thu, 01 Jan 2032 00:00:00 GMT',
    '; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  );
  const line = fc.tuple(name, value, attribute).map(([key, content, more]) => `${key}=${content}${more}`);
  const token = fc.option(fc.stringMatching(/^[\x21-\x7E]{1,256}$/), { nil: undefined });

  it('of any jar and token is restored completely, over 1,000 jars', () => {
    const now = () => NOW;
    const urls = ['', 'sessions', 'projects/x'].map((path) => new URL(path, BASE));

    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), token, (lines, held) => {
        const jar = new SessionCookies(now);
        jar.store(lines, { url: new URL(BASE) });
        const snapshot = {
          base_url: BASE,
          cookies: jar.list(),
          headers: held === undefined ? {} : { 'X-SVC-AuthToken': held },
        };

        const session = PlatformSession.fromDict(JSON.stringify(snapshot), { now });
        const again = PlatformSession.fromDict(session.json(), { now });

        expect(session.toDict()).toEqual(snapshot);
        expect(again.json()).toBe(session.json());
        const restored = new SessionCookies(now);
        expect(session.toDict().cookies.every((cookie) => restored.putWhole(cookie, new URL(BASE)))).toBe(
          true,
        );
        for (const url of urls) expect(sorted(restored.headerFor(url))).toEqual(sorted(jar.headerFor(url)));
      }),
      { numRuns: 1000 },
    );
  });

  it('of any content is restored completely, or rejected with a session error and no change', () => {
    const part = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.string()));
    const almost = fc.record({ base_url: fc.oneof(fc.constant(BASE), part), cookies: part, headers: part });

    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          almost.map((data) => JSON.stringify(data)),
        ),
        (text) => {
          const session = PlatformSession.fromDict({
            base_url: BASE,
            cookies: { a: '1' },
            headers: { 'X-SVC-AuthToken': 't' },
          });
          const before = session.json();
          try {
            session.updateFromJson(text);
          } catch (error) {
            expect(error).toBeInstanceOf(SessionError);
            expect(session.json()).toBe(before);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  function sorted(header: string): string[] {
    return header.split('; ').sort();
  }
});

describe('a path', () => {
  it('never leaves the base URL', () => {
    const base = readBaseUrl(BASE);
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('..', '%2e%2e', '/', '\\', '//', 'http:', '@', '?', '#', ':', '\t', '\n'),
    );

    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        try {
          expect(resolveBelow(base, pieces.join('')).href.startsWith(BASE)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
