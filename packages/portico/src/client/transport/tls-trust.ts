import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unknownName } from '../../errors/unknown-name.js';

/**
 * Certificates in PEM form, as text or bytes: what a file of them contains.
 * @example
 * const tls = (cert: string, key: string): TlsOptions => ({ cert, key });
 * const connect = (options: TlsOptions) => new PlatformClient({ baseUrl, tls: options });
 */
export interface TlsOptions {
  /** The authorities that replace the default ones. */
  ca?: string | Uint8Array | undefined;
  /** The certificate that this client shows to the platform, with those in between. */
  cert?: string | Uint8Array | undefined;
  /** The private key of that certificate, without a passphrase. */
  key?: string | Uint8Array | undefined;
}

/** The certificates that a TLS connection accepts and shows. */
export interface TlsTrust {
  /** False accepts any certificate: for testing only. */
  readonly rejectUnauthorized: boolean;
  /** PEM bundle that replaces the default authorities. */
  readonly ca?: string;
  /** PEM of the client's own certificate, and of its private key. */
  readonly cert?: string;
  readonly key?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the TLS setting (spec: Limits): `true` verifies, `false` does not (with one process warning), a string is the
 * path of a CA bundle.
 * @param tls certificates beyond that
 * @throws TypeError when one is something else, unreadable, or contains no certificate
 */
export function readTlsTrust(verify: boolean | string, tls: TlsOptions = {}): TlsTrust {
  if (typeof (tls as unknown) !== 'object') throw new TypeError('tls must be an object of ca, cert and key.');
  const { ca, cert, key, ...others } = tls as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new TypeError(`tls.${unknown} ${unknownName(unknown, ['ca', 'cert', 'key'])}`);
  const own = readOwnCertificate(pemOf('cert', cert), pemOf('key', key));
  const bundle = pemOf('ca', ca);
  if (bundle === undefined) return { ...trustOf(verify), ...own };
  if (verify !== true) throw new TypeError('tls.ca: leave out tlsVerify where the authorities are given.');
  if (!hasCertificates(bundle)) throw new TypeError('tls.ca does not contain readable PEM certificates.');
  return { rejectUnauthorized: true, ca: bundle, ...own };
}

function pemOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
  if (typeof text === 'string') return text;
  throw new TypeError(`tls.${name} must be the text or the bytes of a PEM file.`);
}

/** @throws TypeError, which quotes nothing, when they do not belong together */
function readOwnCertificate(
  cert: string | undefined,
  key: string | undefined,
): { readonly cert: string; readonly key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new TypeError('tls.cert and tls.key go together.');
  if (!hasCertificates(cert)) throw new TypeError('tls.cert does not contain readable PEM certificates.');
  if (!isKeyOf(cert, key)) throw new TypeError('tls.key is not the readable PEM private key of tls.cert.');
  return { cert, key };
}

function isKeyOf(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function trustOf(verify: boolean | string): TlsTrust {
  if (verify === false) {
    warnOnce();
    return { rejectUnauthorized: false };
  }
  if (verify === true) return { rejectUnauthorized: true };
  // A number would be read as a file descriptor.
  if (typeof verify !== 'string') {
    throw new TypeError('tlsVerify must be true, false, or the path of a CA bundle.');
  }
  return { rejectUnauthorized: true, ca: readBundle(verify) };
}

let hasWarned = false;

/** Once, because a program that creates a client per task would print nothing else. */
function warnOnce(): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning('TLS certificates of the platform are not verified. Use this for testing only.', {
    code: 'PORTICO_TLS_NOT_VERIFIED',
  });
}

function readBundle(path: string): string {
  let bundle: string;
  try {
    bundle = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new TypeError(`tlsVerify: the CA bundle "${path}" cannot be read (${code}).`, { cause: error });
  }
  if (!hasCertificates(bundle)) {
    throw new TypeError(`tlsVerify: the CA bundle "${path}" does not contain readable PEM certificates.`);
  }
  return bundle;
}

function hasCertificates(pem: string): boolean {
  const certificates = pem.match(CERTIFICATE) ?? [];
  return certificates.length > 0 && certificates.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
