import { generate } from 'selfsigned';
import { textFile } from '../text-file.js';

/** A certificate that signs itself, its key, and its path as a CA bundle; removed after the test file. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly path: string;
}

const DAY_MS = 24 * 3600 * 1000;

/** Makes a certificate for 127.0.0.1, or for what is asked for. */
export async function makeCertificate(of: { ip?: string; isExpired?: boolean } = {}): Promise<Certificate> {
  const { ip = '127.0.0.1', isExpired = false } = of;
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'platform.test' }], {
    algorithm: 'sha256',
    keySize: 2048,
    notBeforeDate: new Date(now - 2 * DAY_MS),
    notAfterDate: new Date(isExpired ? now - DAY_MS : now + DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip }] },
    ],
  });
  return { key, cert, path: textFile('ca.pem', cert) };
}
