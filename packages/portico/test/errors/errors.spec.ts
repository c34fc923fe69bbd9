import { describe, expect, it } from 'vitest';
import {
  BackendServerError,
  ExecutionCancelledError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  isSessionExpired,
  LoginFailedError,
  ObjectAlreadyExistsError,
  PlatformClient,
  PlatformError,
  PlatformHttpError,
  PlatformSession,
  PlatformUnreachableError,
  ResourceNotFoundError,
  SessionError,
  UnknownPlatformError,
  type PlatformSessionOptions,
} from '../../src/client/index.js';
import { ISERVER_CODES } from '../../src/errors/iserver-codes.js';
import { openSession } from '../support/client/logged-in.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../support/embedded-platform/scripted-platform.js';
import { textFile } from '../support/text-file.js';

const JSON_TYPE = { 'content-type': 'application/json' };

async function errorOf(answer: ScriptedAnswer, options: PlatformSessionOptions = {}): Promise<PlatformError> {
  const platform = await startScriptedPlatform({ '*': answer });
  const failure = await openSession(platform.baseUrl, options)
    .request('PUT', 'things', { includeAuth: false })
    .catch((error: unknown) => error);
  if (!(failure instanceof PlatformError)) throw new Error('A PlatformError was expected.');
  return failure;
}

describe('the code of an error payload', () => {
  it.each<[string, new (message: string) => PlatformError, boolean]>([
    ['ERR001', PlatformError, false],
    ['ERR002', BackendServerError, false],
    ['ERR003', LoginFailedError, false],
    ['ERR004', ResourceNotFoundError, false],
    ['ERR005', InvalidRequestError, false],
    ['ERR006', InvalidRequestError, false],
    ['ERR007', InvalidRequestError, false],
    ['ERR008', PlatformError, false],
    ['ERR009', SessionError, false],
    ['ERR0010', PlatformError, false],
    ['ERR0013', BackendServerError, true],
    ['ERR0014', InsufficientPrivilegesError, false],
    ['ERR0015', ObjectAlreadyExistsError, false],
    ['ERR0016', PlatformError, true],
    ['ERR0017', InsufficientPrivilegesError, false],
    ['ERR014', InsufficientPrivilegesError, false],
    ['ERR017', InsufficientPrivilegesError, false],
    ['ERR9', SessionError, false],
    ['err009', SessionError, false],
    ['ERR0R22', PlatformError, false],
    ['8004cb0a', PlatformError, false],
    ['404', PlatformError, false],
  ])('%s makes a %p and is kept as sent', async (code, kind, retryable) => {
    const error = await errorOf({ status: 400, body: { code, message: 'It went wrong' } });

    expect(error.constructor).toBe(kind);
    expect(error).toMatchObject({ code, message: 'It went wrong', status: 400, retryable, name: kind.name });
  });

  it.each<[string, unknown]>([
    ['is absent', { message: 'no code' }],
    ['is null', { code: null }],
    ['is a number', { code: 9 }],
    ['is an object', { code: {} }],
    ['is empty', { code: '' }],
    ['is longer than a code', { code: `ERR${'0'.repeat(100)}9` }],
    ['is a sentence', { code: 'not a code' }],
  ])('that %s makes an unknown error with code N/A', async (_name, body) => {
    await expect(errorOf({ status: 500, body })).resolves.toMatchObject({
      constructor: UnknownPlatformError,
      code: 'N/A',
      status: 500,
    });
  });

  it.each<[number, unknown, new (message: string) => PlatformError, string]>([
    [401, { code: 9 }, SessionError, 'ERR009'],
    [401, { code: '9' }, SessionError, 'ERR009'],
    [401, { errors: [{ code: 9, message: 'No' }] }, SessionError, 'ERR009'],
    [403, { code: 14 }, InsufficientPrivilegesError, 'ERR014'],
    [404, { code: 4, message: 'No' }, ResourceNotFoundError, 'ERR004'],
    [401, { code: 9, details: [] }, UnknownPlatformError, 'N/A'],
    [401, { code: 401 }, UnknownPlatformError, 'N/A'],
    [401, { code: 9.5 }, UnknownPlatformError, 'N/A'],
    [401, { code: -9 }, UnknownPlatformError, 'N/A'],
    [401, { code: 0 }, UnknownPlatformError, 'N/A'],
    [503, { code: 14 }, UnknownPlatformError, 'N/A'],
  ])(
    'that is a bare number counts with a 4xx if the platform has it: %d %j',
    async (status, body, kind, code) => {
      await expect(errorOf({ status, body })).resolves.toMatchObject({ constructor: kind, code, status });
    },
  );

  it('decides the class, not the HTTP status', async () => {
    for (const status of [400, 401, 403, 404, 409, 500, 503]) {
      await expect(errorOf({ status, body: { code: 'ERR009' } })).resolves.toMatchObject({
        constructor: SessionError,
        status,
      });
    }
  });
});

describe('an error payload', () => {
  const payload = { code: 'ERR014', message: 'No', ticketId: 'abc123', iServerCode: -2147213784 };
  const facts = {
    constructor: InsufficientPrivilegesError,
    code: 'ERR014',
    message: 'No',
    ticketId: 'abc123',
    iserverCode: '-2147213784',
    iserverMessage: expect.stringContaining('AUTHEN_E_USER_NO_PRIV'),
    status: 403,
  };

  it.each<[string, ScriptedAnswer]>([
    ['as it should be', { status: 403, body: payload }],
    [
      'with another spelling of a key',
      { status: 403, body: { ...payload, iServerCode: undefined, IserverCode: -2147213784 } },
    ],
    [
      'with an underscore in a key',
      { status: 403, body: { ...payload, iServerCode: undefined, iserver_code: -2147213784 } },
    ],
    ['with a number as string', { status: 403, body: { ...payload, iServerCode: '-2147213784' } }],
    ['in an errors envelope', { status: 403, body: { errors: [payload, { code: 'ERR001' }] } }],
    [
      'with a charset',
      { status: 403, headers: { 'content-type': 'application/json;charset=UTF-8' }, body: payload },
    ],
    [
      'as problem+json',
      { status: 403, headers: { 'content-type': 'application/problem+json' }, body: payload },
    ],
    [
      'as plain text',
      { status: 403, headers: { 'content-type': 'text/plain' }, body: JSON.stringify(payload) },
    ],
    [
      'as text/json',
      { status: 403, headers: { 'content-type': 'text/json' }, body: JSON.stringify(payload) },
    ],
    [
      'as HTML',
      { status: 403, headers: { 'content-type': 'text/html' }, body: `\n ${JSON.stringify(payload)}` },
    ],
    [
      'with its content type said twice',
      {
        status: 403,
        headers: ['content-type', 'application/json', 'Content-Type', 'application/json'],
        body: JSON.stringify(payload),
      },
    ],
    [
      'with its content type said twice in one field',
      {
        status: 403,
        headers: { 'content-type': 'application/json, application/json' },
        body: JSON.stringify(payload),
      },
    ],
    ['without a content type', { status: 403, headers: [], body: JSON.stringify(payload) }],
    [
      'after a byte order mark',
      { status: 403, headers: JSON_TYPE, body: `\uFEFF${JSON.stringify(payload)}` },
    ],
  ])('is understood %s', async (_name, answer) => {
    await expect(errorOf(answer)).resolves.toMatchObject(facts);
  });

  it.each<[string, ScriptedAnswer, new (message: string) => PlatformError]>([
    [
      'HTML',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>ERR003</h1>' },
      PlatformHttpError,
    ],
    [
      'a JSON text that is called plain text',
      { status: 403, headers: { 'content-type': 'text/plain' }, body: '"ERR003"' },
      PlatformHttpError,
    ],
    [
      'plain text that begins as JSON',
      { status: 403, headers: { 'content-type': 'text/plain' }, body: '[ERR003] no' },
      PlatformHttpError,
    ],
    ['broken JSON', { status: 400, headers: JSON_TYPE, body: '{"code":"ERR00' }, PlatformHttpError],
    ['nothing', { status: 500 }, PlatformHttpError],
    ['a list', { status: 400, body: [{ code: 'ERR003' }] }, UnknownPlatformError],
    ['a text', { status: 400, headers: JSON_TYPE, body: '"ERR003"' }, UnknownPlatformError],
    ['null', { status: 400, headers: JSON_TYPE, body: 'null' }, UnknownPlatformError],
    ['an empty errors envelope', { status: 400, body: { errors: [] } }, UnknownPlatformError],
    ['an errors envelope of texts', { status: 400, body: { errors: ['ERR003'] } }, UnknownPlatformError],
  ])('that is %s still makes a typed error with the status', async (_name, answer, kind) => {
    const error = await errorOf(answer);

    expect(error.constructor).toBe(kind);
    expect(error.status).toBe((answer as { status: number }).status);
    expect(error.message).not.toContain('ERR003');
  });

  it('has its message capped at 512 characters and stripped of control characters', async () => {
    const error = await errorOf({
      status: 400,
      body: { code: 'ERR006', message: `a\r\nb\u0000\u2028c${'x'.repeat(5000)}` },
    });

    expect(error.message.length).toBe(512);
    expect(error.message.startsWith('a b cx')).toBe(true);
  });

  it.each([
    ['a ticket that is not a word', { ticketId: 'a b' }],
    ['a back-end code that is not an integer', { iServerCode: 1.5 }],
    ['a back-end code that is text', { iServerCode: 'x' }],
  ])('drops %s and nothing else', async (_name, more) => {
    const error = await errorOf({ status: 400, body: { code: 'ERR006', message: 'No', ...more } });

    expect(error).toMatchObject({ code: 'ERR006', message: 'No' });
    expect(Object.keys(error).sort()).toEqual(['code', 'kind', 'retryable', 'status']);
  });

  it.each([
    [429, true],
    [500, false],
    [502, true],
    [503, true],
    [504, true],
    [505, false],
    [519, false],
    [520, true],
    [521, true],
    [522, true],
    [523, true],
    [524, true],
    [525, false],
    [526, false],
    [408, true],
    [425, true],
    [529, true],
    [598, true],
    [400, false],
  ])('of status %d without a code is retryable: %s', async (status, retryable) => {
    await expect(errorOf({ status })).resolves.toMatchObject({ retryable });
  });
});

describe('a back-end code', () => {
  // Each code that the platform's documentation and clients name for sessions, logins and projects.
  const CODES = [
    -2147216959, -2147216960, -2147216963, -2147216964, -2147216965, -2147216966, -2147216962, -2147216961,
    -2147216967, -2147216968, -2147216970, -2147216971, -2147216972, -2147213785, -2147213784, -2147213789,
    -2147213792, -2147213402, -2147212462, -2147212488, -2147212489, -2147202285, -2147202286, -2147202287,
    -2147202288, -2147202292, -2147202291, -2147072513, -2147180957, -2147214578, -2147214579, -2147214568,
    -2147205002, -2147204978, -2147072486, -2147209052, -2147073423, -2147073424, -2147209151, -2147209200,
    -2147209192, -2147209177, -2147209183, -2147203638, -2147206924, -2147025402, -2147201023, -2147200982,
    -2147200943, -2147156954, -2147207418, -2147207419, -2147204465, -2147208439, -2147206497, -2147072559,
    -2147204469, -2147025400, -2147025421, -2147025428,
  ];

  it.each(CODES)('%d is explained by a sentence and its constant name', async (iServerCode) => {
    const error = await errorOf({ status: 500, body: { code: 'ERR001', message: 'No', iServerCode } });

    expect(error.iserverMessage).toMatch(/^[A-Z].*[.] \([A-Z0-9_]+\)$/);
  });

  it('is listed once, with a unique name', () => {
    expect(new Set(ISERVER_CODES.map(([code]) => code)).size).toBe(ISERVER_CODES.length);
    expect(new Set(ISERVER_CODES.map(([, name]) => name)).size).toBe(ISERVER_CODES.length);
  });

  it('that is unknown has no message', async () => {
    const error = await errorOf({ status: 500, body: { code: 'ERR001', message: 'No', iServerCode: -1 } });

    expect(error.iserverCode).toBe('-1');
    expect(error).not.toHaveProperty('iserverMessage');
  });

  describe("of an operator's own", () => {
    const file = (content: string): string => textFile('messages.json', content);

    it.each<[string, () => string | Record<string, string>]>([
      ['a file', () => file('{"-1": "Call Ann.", "-2147216959": "Call Bob."}')],
      ['an object', () => ({ '-1': 'Call Ann.', '-2147216959': 'Call Bob.' })],
    ])('is explained by %s, ahead of the known ones', async (_name, source) => {
      const iserverMessages = source();
      const of = (iServerCode: number) =>
        errorOf({ status: 500, body: { code: 'ERR001', iServerCode } }, { iserverMessages });

      await expect(of(-1)).resolves.toHaveProperty('iserverMessage', 'Call Ann.');
      await expect(of(-2147216959)).resolves.toHaveProperty('iserverMessage', 'Call Bob.');
      await expect(of(-2147216963)).resolves.toHaveProperty(
        'iserverMessage',
        expect.stringContaining('expired'),
      );
    });

    it.each<[string, () => string | Record<string, string>]>([
      ['no file', () => `${file('{}')}-none`],
      ['no JSON', () => file('{')],
      ['a list', () => file('[]')],
      ['a key that is no code', () => file('{"ERR001": "x"}')],
      ['a message that is no text', () => file('{"-1": 5}')],
      ['an empty message', () => ({ '-1': '' })],
    ])('from %s is rejected when the client is created', (_name, source) => {
      const make = () => new PlatformClient({ baseUrl: 'http://127.0.0.1:9/api', iserverMessages: source() });

      expect(make).toThrow(TypeError);
      expect(make).toThrow('iserverMessages');
    });
  });
});

describe('an error created directly', () => {
  it('has code N/A and is a PlatformError', () => {
    const error = new ExecutionCancelledError('Stopped.');

    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: 'N/A', retryable: false, name: 'ExecutionCancelledError' });
    expect(error.stack).toContain('ExecutionCancelledError: Stopped.');
  });

  it('is written by JSON.stringify with name, message and facts, without its stack', () => {
    const error = new PlatformUnreachableError('Not there.', 'DNS', { retryAfterSeconds: 5 });

    expect(JSON.parse(JSON.stringify({ error }))).toEqual({
      error: {
        name: 'PlatformUnreachableError',
        message: 'Not there.',
        kind: 'unreachable',
        code: 'N/A',
        retryable: true,
        reason: 'DNS',
        retryAfterSeconds: 5,
      },
    });
  });
});

describe('the kind of an error', () => {
  it.each([
    ['ERR003', 'login-failed'],
    ['ERR009', 'session-expired'],
    ['ERR0014', 'insufficient-privileges'],
    ['ERR004', 'not-found'],
    ['ERR005', 'invalid-request'],
    ['ERR0015', 'already-exists'],
    ['ERR002', 'backend'],
    ['ERR001', 'platform'],
    [undefined, 'unknown'],
  ])('of code %s is %s', async (code, kind) => {
    const error = await errorOf({ status: 400, body: { code, message: 'No' } });

    expect(error.kind).toBe(kind);
    // The call was no login, so ERR003 concerns the session too.
    expect(isSessionExpired(error)).toBe(code === 'ERR009' || code === 'ERR003');
  });

  it.each<[string, (session: PlatformSession) => unknown]>([
    ['no-session', (session) => session.getProjects()],
    ['no-session', (session) => session.getProjectId('Sales')],
    ['invalid-snapshot', () => PlatformSession.fromDict('{}')],
    ['invalid-request', (session) => session.login({ password: 'x' })],
    ['missing-credential', (session) => session.delegate('')],
    ['unreachable', (session) => session.login()],
    ['session-closed', (session) => session.close().then(() => session.login())],
  ])('raised before any response is %s', async (kind, operation) => {
    const session = new PlatformSession('http://127.0.0.1:1/api');
    const failure: unknown = await Promise.resolve(session)
      .then(operation)
      .catch((error: unknown) => error);

    expect(failure).toMatchObject({ kind, code: 'N/A' });
    expect(isSessionExpired(failure)).toBe(false);
    await session.close();
  });
});
