import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PlatformClient, PlatformError, PlatformSession } from '../../src/client/index.js';
import { createCanaries } from '../support/secrets/canaries.js';
import { makeCertificate } from '../support/client/certificate.js';
import { eventually } from '../support/eventually.js';
import { loggedIn } from '../support/client/logged-in.js';
import { redirectTo } from '../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
  type SeenRequest,
} from '../support/embedded-platform/scripted-platform.js';

const canaries = createCanaries();
const SECRETS = {
  password: canaries.plant('password'),
  apiKey: canaries.plant('api-key'),
  identityToken: canaries.plant('identity-token'),
  token: canaries.plant('token'),
  cookie: canaries.plant('cookie'),
  captured: canaries.plant('captured-header'),
};

/** All that a person or a log may come to see of a value. */
function allOf(value: unknown): string {
  return [
    inspect(value, { depth: Infinity }),
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    inspect({ nested: [value] }, { depth: Infinity }),
    JSON.stringify(value),
    JSON.stringify({ nested: [value] }),
    String(value),
    value instanceof Error
      ? `${value.message}${value.stack}${inspect(value.cause, { depth: Infinity })}`
      : '',
  ].join('\n');
}

function found(text: string): string[] {
  return [...new Set(canaries.findIn(text).map(({ kind }) => kind))];
}

/** All that the platform was told, as a hostile one would send it back. */
function echo({ headers, body, path }: SeenRequest): string {
  return `${path} ${JSON.stringify(headers)} ${body}`;
}

const login: ScriptedAnswer = {
  status: 204,
  headers: [
    ...['X-SVC-AuthToken', SECRETS.token, 'X-SVC-Affinity', SECRETS.captured],
    ...['Set-Cookie', `JSESSIONID=${SECRETS.cookie}; Path=/`],
  ],
};

const FAILURES: [string, ScriptedAnswer][] = [
  ['a reset connection', (_request, response) => void response.socket?.resetAndDestroy()],
  ['silence', () => undefined],
  ['no HTTP', (request, response) => void response.socket?.end(echo(request))],
  [
    'HTML that echoes the request',
    (request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end(echo(request));
    },
  ],
  [
    'broken JSON that echoes the request',
    (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"x": ${echo(request)}`);
    },
  ],
  [
    'an error that echoes the request in every field',
    (request, response) => {
      const all = echo(request);
      const payload = { code: all, message: all, ticketId: all, iServerCode: all, errors: [all], [all]: all };
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(payload));
    },
  ],
  [
    'an error whose code is a secret',
    { status: 401, body: { code: SECRETS.token, message: SECRETS.cookie } },
  ],
  ['an error whose ticket is a secret', { status: 401, body: { code: 'ERR003', ticketId: SECRETS.cookie } }],
  ['a redirect that tells the token to a stranger', redirectTo(`http://127.0.0.1:9/${SECRETS.token}`)],
  ['a redirect that is no URL', redirectTo(`http://[${SECRETS.token}`)],
  [
    'too large an answer',
    (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(echo(request).repeat(100));
    },
  ],
  ['an answer of another shape', { status: 200, body: [SECRETS.token, SECRETS.cookie] }],
  [
    'an encoding that was not asked for',
    { status: 200, headers: { 'content-encoding': SECRETS.token }, body: 'x' },
  ],
];

describe.each(['got', 'undici'] as const)('no secret shows, by %s,', (transport) => {
  it.each(FAILURES)('in the error of %s', async (_name, answer) => {
    const platform = await startScriptedPlatform({ 'POST auth/login': [login, answer, answer], '*': answer });
    const patient = await loggedIn(platform.baseUrl, { transport });
    await using session = PlatformSession.fromDict(patient.toDict(), {
      transport,
      timeoutMs: 300,
      maxResponseBytes: 5000,
    });

    const failures = await Promise.all(
      [
        session.getUserInfo(),
        session.getProjects(),
        session.logout(),
        session.login({ username: 'user', password: SECRETS.password }),
        session.login({ apiKey: SECRETS.apiKey }),
        session.delegate(SECRETS.identityToken),
        session.request('POST', 'things', { body: { a: 1 } }),
      ].map((call) =>
        call.then(
          () => 'success',
          (error: unknown) => error,
        ),
      ),
    );

    const errors = failures.filter((failure) => failure instanceof PlatformError);
    expect(errors.length).toBeGreaterThanOrEqual(5);
    expect(found(errors.map(allOf).join('\n'))).toEqual([]);
    expect(found(allOf(session))).toEqual([]);
  });

  it('in the error of a refused, untrusted or cancelled connection', async () => {
    const tls = await makeCertificate();
    const untrusted = await startScriptedPlatform({}, { tls });
    const silent = await startScriptedPlatform({ '*': () => undefined });
    const abort = new AbortController();
    const credentials = { username: 'user', password: SECRETS.password };
    const errorOf = async (baseUrl: string, signal?: AbortSignal): Promise<unknown> => {
      await using session = new PlatformSession(baseUrl, { transport });
      return await session.login(credentials, { signal }).catch((error: unknown) => error);
    };

    const cancelled = errorOf(silent.baseUrl, abort.signal);
    await eventually(() => silent.requests.length === 1);
    abort.abort(new Error('Changed my mind.'));
    const errors = await Promise.all([
      errorOf('http://127.0.0.1:9/api'),
      errorOf(untrusted.baseUrl),
      cancelled,
    ]);

    expect(errors.every((error) => error instanceof PlatformError)).toBe(true);
    expect(found(errors.map(allOf).join('\n'))).toEqual([]);
  });
});

describe('no secret shows', () => {
  it('in a message that echoes one, while the rest of the message stays', async () => {
    const platform = await startScriptedPlatform({
      '*': { status: 401, body: { code: 'ERR003', message: `The password ${SECRETS.password} is wrong.` } },
    });
    await using session = new PlatformSession(platform.baseUrl);

    const login = session.login({ username: 'user', password: SECRETS.password });

    await expect(login).rejects.toThrow('The password *** is wrong.');
  });

  const secret = 'pass word/"ü"+~é?';
  const base64 = Buffer.from(secret).toString('base64');
  it.each<[string, string]>([
    ['as it is', secret],
    ['for a URL', encodeURIComponent(secret)],
    ['for a URL, in small letters', encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase())],
    ['as a form field', new URLSearchParams({ x: secret }).toString().slice(2)],
    ['in JSON', JSON.stringify({ secret })],
    ['in base64', base64],
    ['in base64 for a URL', Buffer.from(secret).toString('base64url')],
    ['in basic credentials', Buffer.from(`user:${secret}`).toString('base64')],
    ['in basic credentials of another length', Buffer.from(`user1:${secret}:x`).toString('base64')],
    ['in basic credentials of yet another length', Buffer.from(`user12:${secret}:xy`).toString('base64')],
  ])('in a message that echoes one %s', async (_name, echoed) => {
    const platform = await startScriptedPlatform({
      '*': { status: 401, body: { code: 'ERR003', message: `Wrong: ${echoed}.`, ticketId: echoed } },
    });
    await using session = new PlatformSession(platform.baseUrl);

    for (const credentials of [
      { username: 'user', password: secret },
      { apiKey: secret },
      { username: secret },
    ]) {
      const error = await session.login(credentials).catch((failure: unknown) => failure as PlatformError);
      const text = error?.message ?? '';

      expect(text).toMatch(/^Wrong: .*\*\*\*.*\.$/);
      expect(text).not.toContain(base64.slice(4, 16));
      expect(text).not.toContain(echoed);
      expect(error).not.toHaveProperty('ticketId');
    }
  });

  it.each<[string, number, RegExp]>([
    ['where a cut might go through one', 5, /^(?:\*\*\* ?)+$/],
    ['of which too little would be left', 10, /^The text was withheld\.$/],
  ])('in a long message %s', async (_name, times, expected) => {
    const apiKey = SECRETS.apiKey.repeat(times);
    const message = `${apiKey} `.repeat(1000);
    const platform = await startScriptedPlatform({ '*': { status: 401, body: { code: 'ERR003', message } } });
    await using session = new PlatformSession(platform.baseUrl);

    const login = session.login({ apiKey });

    await expect(login).rejects.toThrow(expected);
  });

  it('in a session, a client, a response, or a snapshot, except in JSON.stringify of the snapshot', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': login,
      '*': { status: 200, headers: { 'X-SVC-AuthToken': SECRETS.token }, body: { token: SECRETS.token } },
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl });
    const session = client.openSession();
    await session.login({ username: 'user', password: SECRETS.password });
    const response = await session.request('GET', 'things');
    const snapshot = session.toDict();

    const parts: unknown[] = [
      response.headers,
      Object.assign({}, response.headers),
      snapshot.cookies[0],
      snapshot.cookies.map((cookie) => cookie),
      snapshot.cookies.slice(),
    ];
    expect(found([allOf(session), allOf(client), allOf(response)].join('\n'))).toEqual([]);
    expect(JSON.stringify(response.headers)).toContain('X-SVC-AuthToken');
    expect(found(JSON.stringify(response.headers))).toEqual([]);
    expect(
      found(parts.map((part) => `${inspect(part)} ${inspect([part])} ${String(part)}`).join('\n')),
    ).toEqual([]);
    expect(
      found(
        [
          inspect({ snapshot }),
          String(snapshot as unknown),
          inspect([snapshot.cookies, snapshot.headers]),
        ].join(),
      ),
    ).toEqual([]);
    expect(found(JSON.stringify(snapshot))).toEqual(['token', 'cookie', 'captured-header']);
  });

  it('in the error of a snapshot that cannot be restored', () => {
    const bad = [
      `{"token": "${SECRETS.token}`,
      JSON.stringify({ base_url: `http://u:${SECRETS.password}@h/`, cookies: {}, headers: {} }),
      JSON.stringify({ base_url: 'http://h/', cookies: { a: `${SECRETS.cookie};` }, headers: {} }),
      JSON.stringify({
        base_url: 'http://h/',
        cookies: {},
        headers: { 'X-SVC-AuthToken': `${SECRETS.token} x` },
      }),
      JSON.stringify({ base_url: 'http://h/', cookies: {}, headers: { a: [SECRETS.token] } }),
    ];
    const errors = bad.map((text) => {
      try {
        return PlatformSession.fromDict(text);
      } catch (error) {
        return error;
      }
    });

    expect(errors.every((error) => error instanceof PlatformError)).toBe(true);
    expect(found(errors.map(allOf).join('\n'))).toEqual([]);
  });
});
