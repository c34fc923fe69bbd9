import { describe, expect, it } from 'vitest';
import { PlatformHttpError, PlatformUnreachableError } from '../../../src/client/index.js';
import { networkFailure } from '../../../src/client/transport/network-failure.js';
import {
  ProtocolViolation,
  ProxyRefusal,
  UnreadableContinueError,
} from '../../../src/client/transport/transport.js';

const coded = (code: unknown, more: object = {}): Error =>
  Object.assign(new Error('secret'), { code, ...more });
const named = (name: string): Error => Object.assign(new Error('secret'), { name });
const within = (depth: number, error: unknown): unknown =>
  depth === 0 ? error : new Error('outer', { cause: within(depth - 1, error) });

describe('a failure of the network', () => {
  it.each([
    ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].map((code) => [code, 'DNS'] as const),
    ...[
      ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_OSSL_EVP'],
      ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
      ...['HOSTNAME_MISMATCH', 'EPROTO', 'INVALID_CA', 'INVALID_PURPOSE', 'CRL_HAS_EXPIRED'],
    ].map((code) => [code, 'TLS'] as const),
    ...['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'XENOTFOUND', 'XCERT_A', 'ERR_X'].map(
      (code) => [code, 'CONNECT'] as const,
    ),
    ['ERR_HTTP_CONTENT_LENGTH_MISMATCH', 'CONNECT'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'CONNECT'],
  ] as const)('by the code %s is an unreachable platform, because of %s', (code, reason) => {
    const error = networkFailure(coded(code));

    expect(error).toBeInstanceOf(PlatformUnreachableError);
    expect(error).toMatchObject({ reason });
    expect(error.message).toMatch(new RegExp(`\\(${code}\\)\\.$`));
  });

  it.each([
    ...['HPE_INVALID_CONSTANT', 'Z_DATA_ERROR', 'ERR_ZSTD_X', 'ERR_BROTLI_X', 'ERR__ERROR_FORMAT_X'],
    ...['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCHED'],
  ])('by the code %s is a fault of the answer', (code) => {
    expect(networkFailure(coded(code))).toEqual(
      new PlatformHttpError(`The response of the platform violates HTTP (${code}).`),
    );
  });

  it('by a code that only contains another one is not that one', () => {
    expect(networkFailure(coded('A_HPE_X'))).toMatchObject({ reason: 'CONNECT' });
    expect(networkFailure(coded('XERR_HTTP_CONTENT_LENGTH_MISMATCH'))).toMatchObject({ reason: 'CONNECT' });
  });

  it('is a fault of the answer where the parser names none', () => {
    expect(networkFailure(named('HTTPParserError')).message).toContain('violates HTTP (HPE_NOT_HTTP)');
    expect(networkFailure(named('OtherError')).message).toContain('(no code)');
    expect(networkFailure(new ProtocolViolation('HPE_INVALID_STATUS')).message).toContain(
      'HPE_INVALID_STATUS',
    );
  });

  it.each([
    undefined,
    null,
    'ENOTFOUND',
    5,
    {},
    coded(5),
    coded('lower'),
    coded('A'),
    coded('1A'),
    coded('AB C'),
  ])('without a code is an unreachable platform, and nothing of it is quoted: %s', (error) => {
    expect(networkFailure(error)).toMatchObject({
      reason: 'CONNECT',
      message: 'The connection to the platform failed (no code).',
    });
  });

  it('has a code of 2 to 64 characters', () => {
    expect(networkFailure(coded('A9')).message).toContain('(A9)');
    expect(networkFailure(coded('A'.repeat(64))).message).toContain(`(${'A'.repeat(64)})`);
    expect(networkFailure(coded('A'.repeat(65))).message).toContain('(no code)');
  });

  it('is known by what caused it, five levels deep, the outermost code first', () => {
    expect(networkFailure(within(4, coded('ENOTFOUND')))).toMatchObject({ reason: 'DNS' });
    expect(networkFailure(within(5, coded('ENOTFOUND')))).toMatchObject({ reason: 'CONNECT' });
    expect(networkFailure(coded('ECONNRESET', { cause: coded('EPIPE') })).message).toContain('(ECONNRESET)');
    expect(networkFailure(coded('EPIPE', { cause: coded('CERT_X') }))).toMatchObject({ reason: 'TLS' });
    expect(networkFailure(coded('CERT_X', { cause: coded('ENOTFOUND') }))).toMatchObject({ reason: 'DNS' });
    expect(networkFailure(coded('ENOTFOUND', { cause: coded('HPE_X') }))).toBeInstanceOf(PlatformHttpError);
  });

  it.each([
    [new ProxyRefusal('407'), 'The proxy refused to connect to the platform (HTTP 407).'],
    [new ProxyRefusal(undefined), 'The proxy refused to connect to the platform.'],
  ])('may be the word of the proxy', (error, message) => {
    expect(networkFailure(error)).toMatchObject({ reason: 'CONNECT', message });
  });

  it('says which library can read an answer that this one cannot', () => {
    const error = networkFailure(new UnreadableContinueError());

    expect(error).toBeInstanceOf(PlatformHttpError);
    expect(error.message).toContain('use the transport "got"');
  });
});
