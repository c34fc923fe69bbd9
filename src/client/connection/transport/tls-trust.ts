import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What a TLS connection trusts. */
export interface TlsTrust {
  /** False accepts any certificate: for testing only. */
  readonly rejectUnauthorized: boolean;
  /** PEM bundle that takes the place of the default authorities. */
  readonly ca?: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads the TLS setting (spec: Limits): `true` verifies, `false` does not (a process warning says so, once), a string is the
 * path of a CA bundle.
 * @throws TypeError when it is none of these, or the bundle cannot be read or holds no certificate
 */
export function readTlsTrust(verify: boolean | string): TlsTrust {
  if (verify === false) {
    warnOnce();
    return { rejectUnauthorized: false };
  }
  if (verify === true) return { rejectUnauthorized: true };
  // A number would be read as a file descriptor.
  if (typeof verify !== 'string') {
    throw new TypeError('tlsVerify: true, false, or the path of a CA bundle is needed.');
  }
  return { rejectUnauthorized: true, ca: readBundle(verify) };
}

let hasWarned = false;

/** A program that makes a client for each task would print nothing else. */
function warnOnce(): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning('The certificates of the platform are not verified: for testing only.', {
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
    throw new TypeError(
      `tlsVerify: the CA bundle "${path}" does not hold PEM certificates that can be read.`,
    );
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
