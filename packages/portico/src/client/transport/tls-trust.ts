import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The certificates that a TLS connection accepts. */
export interface TlsTrust {
  /** False accepts any certificate: for testing only. */
  readonly rejectUnauthorized: boolean;
  /** PEM bundle that replaces the default authorities. */
  readonly ca?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the TLS setting (spec: Limits): `true` verifies, `false` does not (with one process warning), a string is the
 * path of a CA bundle.
 * @throws TypeError when it is something else, or the bundle is unreadable or contains no certificate
 */
export function readTlsTrust(verify: boolean | string): TlsTrust {
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
  const certificates = bundle.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new TypeError(`tlsVerify: the CA bundle "${path}" does not contain readable PEM certificates.`);
  }
  return bundle;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
