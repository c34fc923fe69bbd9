import { describe, expect, it } from 'vitest';
import {
  ForeignRedirectError,
  PlatformHttpError,
  PlatformResponse,
  TooManyRedirectsError,
} from '../../../src/client/index.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import {
  followRedirects,
  locationOf,
  redirectHost,
  type RequestLine,
} from '../../../src/client/connection/redirects.js';
import { bytesBody, streamBody } from '../../../src/client/session/request-body.js';

const HERE = new URL('https://platform.example/api/reports?x=1');

function answer(status: number, location?: string): PlatformResponse {
  const headers = new ResponseHeaders(location === undefined ? [] : ['Location', location]);
  return PlatformResponse.received(status, headers, Buffer.alloc(0), HERE);
}

/** What is sent in turn, and the last answer, when these answers come. */
async function followed(first: Partial<RequestLine>, limit: number, ...answers: PlatformResponse[]) {
  const sent: RequestLine[] = [];
  const seen: number[] = [];
  const send = (line: RequestLine): Promise<PlatformResponse> => {
    sent.push(line);
    return Promise.resolve(answers[sent.length - 1] ?? answer(200));
  };
  const line = { method: 'GET', url: HERE, ...first };
  const response = await followRedirects(line, limit, send, ({ status }) => seen.push(status));
  return { sent, seen, status: response.status };
}

describe('the location of a redirect', () => {
  it.each([301, 302, 303, 307, 308])('is that of a %d', (status) => {
    expect(locationOf(status, answer(status, '/a').headers)).toBe('/a');
  });

  it.each([200, 300, 304, 305, 306, 309, 400])('is not that of a %d', (status) => {
    expect(locationOf(status, answer(status, '/a').headers)).toBeUndefined();
  });

  it('is the first of several, with the bytes beyond ASCII escaped', () => {
    const headers = new ResponseHeaders(['Location', '/caf\xc3\xa9\x7f\x80\xff', 'Location', '/b']);

    expect(locationOf(302, headers)).toBe('/caf%C3%A9\x7f%80%FF');
    expect(locationOf(302, new ResponseHeaders([]))).toBeUndefined();
  });

  it.each([
    [302, 'http://sso.example:8080/login', 'sso.example:8080'],
    [302, '/login', 'platform.example'],
    [302, 'http://[', undefined],
    [302, undefined, undefined],
    [200, 'http://sso.example/', undefined],
  ])('names the host that it leads to: %d %s, %s', (status, location, host) => {
    expect(redirectHost(answer(status, location))).toBe(host);
  });
});

describe('a redirect', () => {
  it.each([199, 200, 299])('is no answer with status %d', async (status) => {
    expect(await followed({}, 5, answer(status, '/a'))).toMatchObject({ status, seen: [] });
  });

  it('without a location is an answer', async () => {
    expect(await followed({}, 5, answer(302))).toMatchObject({ status: 302, seen: [] });
  });

  it('leads to its place, without its fragment, and is reported before it is followed', async () => {
    const { sent, seen, status } = await followed({}, 2, answer(302, 'other?y=2#part'), answer(307, '/'));

    expect(sent.map(({ url }) => url.href)).toEqual([
      HERE.href,
      'https://platform.example/api/other?y=2',
      'https://platform.example/',
    ]);
    expect([seen, status]).toEqual([[302, 307], 200]);
  });

  it.each([0, 1, 3])('is followed as often as is allowed: %d', async (limit) => {
    const loop = Array.from({ length: 9 }, () => answer(302, '/again'));

    expect((await followed({}, limit, ...loop.slice(0, limit))).sent).toHaveLength(limit + 1);
    await expect(followed({}, limit, ...loop)).rejects.toMatchObject({
      constructor: TooManyRedirectsError,
      message: `The platform redirected more than ${limit} times.`,
      status: 302,
    });
  });

  it.each([
    ['http://platform.example/api', 'platform.example'],
    ['https://platform.example:8443/', 'platform.example:8443'],
    ['//other.example/', 'other.example'],
    ['https://user@platform.example/', 'platform.example'],
    ['https://:secret@platform.example/', 'platform.example'],
  ])('to another origin, or with a user, is refused: %s', async (location, host) => {
    await expect(followed({}, 5, answer(307, location))).rejects.toMatchObject({
      constructor: ForeignRedirectError,
      status: 307,
      redirectHost: host,
    });
  });

  it('to an invalid URL is a protocol error', async () => {
    await expect(followed({}, 5, answer(308, 'https://['))).rejects.toMatchObject({
      constructor: PlatformHttpError,
      message: 'The platform redirected to an invalid URL.',
      status: 308,
    });
  });

  it.each([
    ['POST', [301, 302, 303], [307, 308]],
    ['PUT', [303], [301, 302, 307, 308]],
    ['DELETE', [303], [301, 302, 307, 308]],
  ])(
    'of %s becomes a GET without a body by %j, and stays what it is by %j',
    async (method, asGet, asItWas) => {
      const body = bytesBody(Uint8Array.of(1));
      const next = async (status: number): Promise<RequestLine | undefined> =>
        (await followed({ method, body }, 1, answer(status, '/a'))).sent[1];
      const url = new URL('/a', HERE);

      for (const status of asGet) expect(await next(status)).toStrictEqual({ method: 'GET', url });
      for (const status of asItWas) expect(await next(status)).toStrictEqual({ method, url, body });
    },
  );

  it.each(['GET', 'HEAD'])('of %s stays what it is by every status', async (method) => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect((await followed({ method }, 1, answer(status, '/a'))).sent[1]?.method).toBe(method);
    }
  });

  it('of a stream is refused where the body would have to be sent again', async () => {
    const body = streamBody(new Blob(['a']).stream());
    const call = (status: number) => followed({ method: 'POST', body }, 1, answer(status, '/a'));

    await expect(call(307)).rejects.toMatchObject({
      constructor: PlatformHttpError,
      message: expect.stringContaining('cannot be sent again'),
      status: 307,
    });
    expect((await call(303)).sent[1]).toStrictEqual({ method: 'GET', url: new URL('/a', HERE) });
  });
});
