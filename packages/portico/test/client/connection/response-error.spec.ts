import { describe, expect, it } from 'vitest';
import {
  BackendServerError,
  InsufficientPrivilegesError,
  InvalidRequestError,
  LoginFailedError,
  ObjectAlreadyExistsError,
  PlatformError,
  PlatformHttpError,
  PlatformResponse,
  ResourceNotFoundError,
  SessionError,
  UnknownPlatformError,
} from '../../../src/client/index.js';
import { ResponseHeaders } from '../../../src/client/connection/headers.js';
import {
  errorOfResponse,
  isErrorInDisguise,
  isGatewayFailure,
  type TranslationContext,
} from '../../../src/client/connection/response-error.js';

const CONTEXT: TranslationContext = {
  iserverMessages: new Map([['-5', 'It is late.']]),
  secrets: [],
  isLogin: false,
  now: 0,
};

function answer(status: number, body: unknown, ...headers: string[]): PlatformResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const raw = headers.length === 0 ? ['content-type', 'application/json'] : headers;
  return PlatformResponse.received(
    status,
    new ResponseHeaders(raw),
    Buffer.from(text, 'latin1'),
    new URL('http://h/'),
  );
}

function errorOf(status: number, body: unknown, context: Partial<TranslationContext> = {}): PlatformError {
  return errorOfResponse(answer(status, body), { ...CONTEXT, ...context });
}

describe('the class of an error', () => {
  it.each<[string, new (message: string) => PlatformError, boolean]>([
    ['ERR001', PlatformError, false],
    ['ERR002', BackendServerError, false],
    ['ERR003', LoginFailedError, false],
    ['ERR004', ResourceNotFoundError, false],
    ['ERR005', InvalidRequestError, false],
    ['ERR006', InvalidRequestError, false],
    ['ERR007', InvalidRequestError, false],
    ['ERR009', SessionError, false],
    ['ERR0013', BackendServerError, true],
    ['ERR014', InsufficientPrivilegesError, false],
    ['ERR0015', ObjectAlreadyExistsError, false],
    ['ERR0016', PlatformError, true],
    ['ERR17', InsufficientPrivilegesError, false],
    ['err000009', SessionError, false],
    ['ERR0000009', PlatformError, false],
    ['XERR009', PlatformError, false],
    ['ERR009X', PlatformError, false],
    ['ERR', PlatformError, false],
  ])('and whether it goes away follow from the code: %s', (code, kind, retryable) => {
    const error = errorOf(400, { code, message: 'No' });

    expect(error.constructor).toBe(kind);
    expect(error).toMatchObject({ code, message: 'No', status: 400, retryable });
  });

  it.each<[number, unknown, string]>([
    [400, { code: 1 }, 'ERR001'],
    [499, { code: 24 }, 'ERR024'],
    [400, { code: '9' }, 'ERR009'],
    [400, { code: '14' }, 'ERR014'],
    [400, { code: [9] }, 'N/A'],
    [399, { code: 9 }, 'N/A'],
    [400, { code: 25 }, 'N/A'],
    [400, { code: 0 }, 'N/A'],
    [400, { code: '009' }, '009'],
    [400, { code: '9x' }, '9x'],
    [400, { code: 'x9' }, 'x9'],
    [500, { code: 9 }, 'N/A'],
    [401, { code: 9, details: [] }, 'N/A'],
  ])('takes a bare number for a code of the platform where it has such: %d %j', (status, body, code) => {
    expect(errorOf(status, body).code).toBe(code);
  });

  it.each<[number, unknown, new (message: string) => PlatformError]>([
    [500, 'oops', PlatformHttpError],
    [400, 'null', UnknownPlatformError],
    [400, '"ERR009"', UnknownPlatformError],
    [400, {}, UnknownPlatformError],
    [399, {}, PlatformHttpError],
    [399, { code: 'ERR009' }, SessionError],
    [200, { code: 'ERR009' }, SessionError],
  ])('without a code follows from the status and the body: %d %j', (status, body, kind) => {
    const error = errorOf(status, body);

    expect(error.constructor).toBe(kind);
    expect(error.status).toBe(status);
  });

  it.each([
    [500, false],
    [501, false],
    ...[502, 503, 504, 520, 521, 522, 523, 524, 408, 425, 429, 529, 598, 599].map(
      (status) => [status, true] as const,
    ),
    [519, false],
    [525, false],
    [409, false],
  ] as const)('says whether another try is of use: status %d, %s', (status, retryable) => {
    expect(errorOf(status, 'x').retryable).toBe(retryable);
    expect(errorOf(status, { code: 'ERR001' }).retryable).toBe(retryable);
  });

  it('tells an error of the session from a failed login, and whether a cookie was missing', () => {
    const facts = (code: string, context: Partial<TranslationContext>): unknown[] => {
      const error = errorOf(401, { code }, context) as LoginFailedError;
      return [error.concernsSession, error.cookiesWithheld];
    };

    expect(facts('ERR003', {})).toEqual([true, undefined]);
    expect(facts('ERR003', { isLogin: true })).toEqual([undefined, undefined]);
    expect(facts('ERR003', { isLogin: true, cookiesWithheld: true })).toEqual([undefined, undefined]);
    expect(facts('ERR003', { cookiesWithheld: true })).toEqual([true, true]);
    expect(facts('ERR009', { cookiesWithheld: true })).toEqual([undefined, true]);
    expect(facts('ERR009', { cookiesWithheld: false })).toEqual([undefined, undefined]);
    expect(facts('ERR004', { cookiesWithheld: true })).toEqual([undefined, undefined]);
  });
});

describe('the facts of an error', () => {
  it.each<[string, object, unknown]>([
    ['a message', { message: 'No' }, { message: 'No' }],
    ['no message', {}, { message: 'The platform answered HTTP 400 without a message.' }],
    [
      'a message that is no text',
      { message: 5 },
      { message: 'The platform answered HTTP 400 without a message.' },
    ],
    ['a ticket', { ticketId: 'abc.1-2_3' }, { ticketId: 'abc.1-2_3' }],
    ['a ticket in another spelling', { Ticket_ID: 'abc' }, { ticketId: 'abc' }],
    ['a long ticket', { ticketId: 'a'.repeat(64) }, { ticketId: 'a'.repeat(64) }],
    ['a ticket that is too long', { ticketId: 'a'.repeat(65) }, { ticketId: undefined }],
    ['a ticket of two words', { ticketId: 'a b' }, { ticketId: undefined }],
    ['a ticket that is a number', { ticketId: 5 }, { ticketId: undefined }],
    ['a code of the back end', { iServerCode: -5 }, { iserverCode: '-5', iserverMessage: 'It is late.' }],
    ['the same as text', { iserver_code: ' -5 ' }, { iserverCode: '-5', iserverMessage: 'It is late.' }],
    ['an unknown code of the back end', { iServerCode: 7 }, { iserverCode: '7', iserverMessage: undefined }],
    ['a code with zeros before it', { iServerCode: '007' }, { iserverCode: '7' }],
    ['a long code of the back end', { iServerCode: '1'.repeat(15) }, { iserverCode: '1'.repeat(15) }],
    ['a code that is too long', { iServerCode: '1'.repeat(16) }, { iserverCode: undefined }],
    ['a code with a fraction', { iServerCode: 1.5 }, { iserverCode: undefined }],
    ['a code among letters', { iServerCode: 'a1' }, { iserverCode: undefined }],
    ['a code before letters', { iServerCode: '1a' }, { iserverCode: undefined }],
    ['a code that is a list', { iServerCode: [1] }, { iserverCode: undefined }],
    ['an empty code', { iServerCode: '' }, { iserverCode: undefined }],
  ])('are read from the payload: %s', (_what, more, facts) => {
    const { message, ticketId, iserverCode, iserverMessage } = errorOf(400, { code: 'ERR006', ...more });

    expect({ message, ticketId, iserverCode, iserverMessage }).toMatchObject(facts as object);
  });

  it.each<[unknown, string]>([
    [{ errors: [{ code: 'ERR009' }, { code: 'ERR004' }] }, 'ERR009'],
    [{ code: 'ERR004', errors: [{ code: 'ERR009' }] }, 'ERR004'],
    [{ errors: { code: 'ERR009' } }, 'N/A'],
    [{ errors: ['ERR009'] }, 'N/A'],
    [{ errors: [] }, 'N/A'],
    [[{ code: 'ERR009' }], 'N/A'],
    [null, 'N/A'],
    ['"ERR009"', 'N/A'],
  ])('are those of the first entry of an envelope: %j has code %s', (body, code) => {
    expect(errorOf(400, body).code).toBe(code);
  });

  it('are read from JSON with a wrong label, but not from other text', () => {
    const payload = JSON.stringify({ code: 'ERR009', message: 'No', more: 1 });
    const codeOf = (type: string, body: string): string =>
      errorOfResponse(answer(401, body, 'content-type', type), CONTEXT).code;

    expect(codeOf('text/html', payload)).toBe('ERR009');
    expect(codeOf('text/html', ` \n${payload}`)).toBe('ERR009');
    expect(codeOf('text/html', `[${payload}]`)).toBe('N/A');
    expect(codeOf('text/html', `x${payload}`)).toBe('N/A');
    expect(codeOf('application/json', 'x')).toBe('N/A');
    for (const text of ['"ERR009"', '"{"', '5']) {
      const error = errorOfResponse(answer(401, text, 'content-type', 'text/plain'), CONTEXT);
      expect(error).toBeInstanceOf(PlatformHttpError);
    }
  });

  it('have the code of a body in another charset, and of its text only what is sure', () => {
    const of = (message: string): PlatformError =>
      errorOf(401, JSON.stringify({ code: 'ERR009', message, ticketId: 'abc', more: '\xe9' }));

    expect(of('Plain ~ text')).toMatchObject({ code: 'ERR009', message: 'Plain ~ text', ticketId: 'abc' });
    expect(errorOf(401, { code: 'ERR009', message: 'caf\xc3\xa9' }).message).toBe('caf\u00e9');
    expect(of('caf\xe9').message).toBe('The platform answered HTTP 401 without a message.');
    expect(of('Plain').details).toBeUndefined();
  });

  it('have what the payload says besides, to a depth of four levels and 32 entries each', () => {
    const many = Array.from({ length: 40 }, (_, n) => n);
    const further = {
      text: 'a\r\nb',
      flag: true,
      none: null,
      deep: { two: { three: { four: 1, list: [1, [2]], lost: { five: 1 } } } },
      list: many,
      lists: [[[[1]]]],
      object: Object.fromEntries(many.map((n) => [`k${n}`, n])),
    };

    const { details } = errorOf(400, {
      code: 'ERR001',
      message: 'No',
      ticketId: 't',
      iServerCode: 1,
      ...further,
    });

    expect(details).toEqual({
      text: 'a b',
      flag: true,
      none: null,
      deep: { two: { three: { four: 1, list: undefined, lost: undefined } } },
      list: many.slice(0, 32),
      lists: [[[undefined]]],
      object: Object.fromEntries(many.slice(0, 32).map((n) => [`k${n}`, n])),
    });
    expect(errorOf(400, { code: 'ERR001', message: 'No' }).details).toBeUndefined();
    expect(errorOf(400, [{ code: 'ERR001' }]).details).toBeUndefined();
  });

  it('show no secret, wherever the platform puts it', () => {
    const secrets = ['1234567', 'hush-hush'];
    const error = errorOf(
      400,
      {
        code: 'hush-hush',
        message: 'a hush-hush b',
        ticketId: 'x1234567',
        iServerCode: 1234567,
        'hush-hush': 'hush-hush',
        number: 1234567,
        other: 7,
      },
      { secrets },
    );

    expect(error).toMatchObject({ constructor: UnknownPlatformError, code: 'N/A', message: 'a *** b' });
    expect([error.ticketId, error.iserverCode]).toEqual([undefined, undefined]);
    expect(error.details).toEqual({ '***': '***', number: undefined, other: 7 });
  });

  it('say for how long to wait', () => {
    const response = answer(503, 'x', 'retry-after', '7');

    expect(errorOfResponse(response, CONTEXT).retryAfterSeconds).toBe(7);
    expect(errorOf(503, 'x').retryAfterSeconds).toBeUndefined();
    expect(errorOf(503, 'x').message).toBe('The platform answered HTTP 503 without an error payload.');
  });
});

describe('an answer that is an error although its status is not', () => {
  it.each([
    [{ code: 'ERR009', message: 'No' }, true],
    [{ code: 'ERR009', ticketId: 'abc' }, true],
    [{ code: 'ERR123456', message: 'No' }, true],
    [{ code: 'ERR1234567', message: 'No' }, false],
    [{ code: 'ERR009' }, false],
    [{ code: 'err009', message: 'No' }, false],
    [{ code: 'XERR009', message: 'No' }, false],
    [{ code: 'ERR009X', message: 'No' }, false],
    [{ code: 'ERR', message: 'No' }, false],
    [{ message: 'No' }, false],
    [['ERR009'], false],
  ])('has a code of the platform and says what happened: %j, %s', (body, isError) => {
    expect(isErrorInDisguise(answer(200, body))).toBe(isError);
  });

  it('is not text', () => {
    expect(isErrorInDisguise(answer(200, 'ERR009'))).toBe(false);
  });
});

describe('a failure of a gateway', () => {
  it.each([
    [502, '<html>', true],
    [524, {}, true],
    [503, { code: 'ERR0013' }, false],
    [500, '<html>', false],
    [429, '<html>', false],
  ])('has a status of its own, and no code of the platform: %d %j, %s', (status, body, isFailure) => {
    expect(isGatewayFailure(answer(status, body))).toBe(isFailure);
  });
});
