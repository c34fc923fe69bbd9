import { type PlatformError } from '../../errors/platform-error.js';
import { PlatformHttpError, PlatformUnreachableError } from '../../errors/error-classes.js';
import { ProxyRefusal, UnreadableContinueError } from './transport.js';

const DNS = /^(?:ENOTFOUND|EAI_)/;
const TLS =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO|INVALID_CA|INVALID_PURPOSE|CRL_)/;
const PROTOCOL = /^(?:HPE_|Z_|ERR_ZSTD|ERR_BROTLI|ERR__ERROR_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/;

/** The body ended before its announced length: a broken connection, as the other library reports it. */
const CUT = /^(?:ERR_HTTP|UND_ERR_RES)_CONTENT_LENGTH_MISMATCH$/;

/**
 * Translates a library's failure. The error is a new one, because the libraries' errors contain the request with its
 * token and password: neither they nor their messages are passed on, only a well-formed code.
 */
export function networkFailure(error: unknown): PlatformError {
  if (error instanceof ProxyRefusal) {
    const status = error.status === undefined ? '' : ` (HTTP ${error.status})`;
    const message = `The proxy refused to connect to the platform${status}.`;
    return new PlatformUnreachableError(message, 'CONNECT');
  }
  if (error instanceof UnreadableContinueError) {
    return new PlatformHttpError(
      'The platform answered 100 Continue without being asked. HTTP allows that, but undici cannot read it: ' +
        'use the transport "got" (PLATFORM_TRANSPORT=got).',
    );
  }
  const codes = codesOf(error);
  const find = (pattern: RegExp): string | undefined => codes.find((code) => pattern.test(code));
  const protocol = find(PROTOCOL);
  if (protocol !== undefined && !CUT.test(protocol)) {
    return new PlatformHttpError(`The response of the platform violates HTTP (${protocol}).`);
  }
  const dns = find(DNS);
  if (dns !== undefined) {
    return new PlatformUnreachableError(`The host name of the platform did not resolve (${dns}).`, 'DNS');
  }
  const tls = find(TLS);
  if (tls !== undefined) {
    return new PlatformUnreachableError(`The TLS connection to the platform failed (${tls}).`, 'TLS');
  }
  const code = codes[0] ?? 'no code';
  return new PlatformUnreachableError(`The connection to the platform failed (${code}).`, 'CONNECT');
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let at = error;
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth += 1) {
    const {
      name,
      cause,
      code = codeOfName(name),
    } = at as { name?: unknown; cause?: unknown; code?: unknown };
    at = cause;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_/]{1,63}$/.test(code)) codes.push(code);
  }
  return codes;
}

/** undici's parser omits the code when the response is not HTTP at all. */
function codeOfName(name: unknown): string | undefined {
  return name === 'HTTPParserError' ? 'HPE_NOT_HTTP' : undefined;
}
