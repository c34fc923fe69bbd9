import { dirname } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readTlsTrust, type TlsOptions } from '../../../src/client/transport/tls-trust.js';
import { type Certificate, makeCertificate } from '../../support/client/certificate.js';
import { textFile } from '../../support/text-file.js';

describe('the certificates that a client trusts', () => {
  let own: Certificate;
  let other: Certificate;
  beforeAll(async () => {
    [own, other] = [await makeCertificate(), await makeCertificate()];
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are those of Node, those of a file, or those that are given', () => {
    const { cert, path } = own;

    expect(readTlsTrust(true)).toStrictEqual({ rejectUnauthorized: true });
    expect(readTlsTrust(true, { ca: undefined })).toStrictEqual({ rejectUnauthorized: true });
    expect(readTlsTrust(true, { ca: null as never })).toStrictEqual({ rejectUnauthorized: true });
    expect(readTlsTrust(path)).toMatchObject({
      rejectUnauthorized: true,
      ca: expect.stringContaining('BEGIN'),
    });
    expect(readTlsTrust(true, { ca: cert })).toStrictEqual({ rejectUnauthorized: true, ca: cert });
    expect(readTlsTrust(true, { ca: Buffer.from(cert) })).toStrictEqual({
      rejectUnauthorized: true,
      ca: cert,
    });
  });

  it('are any without verification, of which the process is warned at most once', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();

    expect(readTlsTrust(false)).toStrictEqual({ rejectUnauthorized: false });
    readTlsTrust(false);
    expect(warn.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('stand beside the own certificate, whatever is verified', () => {
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { cert, key } = own;

    expect(readTlsTrust(true, { cert, key })).toStrictEqual({ rejectUnauthorized: true, cert, key });
    expect(readTlsTrust(false, { cert, key })).toStrictEqual({ rejectUnauthorized: false, cert, key });
    expect(readTlsTrust(true, { ca: other.cert, cert, key })).toStrictEqual({
      rejectUnauthorized: true,
      ca: other.cert,
      cert,
      key,
    });
  });

  it('may be several', () => {
    const ca = `first\n${own.cert}\nsecond\n${other.cert}`;

    expect(readTlsTrust(true, { ca }).ca).toBe(ca);
  });

  it('are refused where they cannot be used, without a word of what they are', () => {
    const { cert, key, path } = own;
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const rows: [boolean | string, TlsOptions, string][] = [
      [true, 'pem' as never, 'tls must be an object of ca, cert and key.'],
      [true, { certificate: cert } as never, 'tls.certificate is not a known name; do you mean cert?'],
      [true, { ca: 5 as never }, 'tls.ca must be the text or the bytes of a PEM file.'],
      [true, { cert: {} as never, key }, 'tls.cert must be the text or the bytes'],
      [true, { cert, key: true as never }, 'tls.key must be the text or the bytes'],
      [true, { ca: 'no pem' }, 'tls.ca does not contain readable PEM certificates.'],
      [true, { ca: broken }, 'tls.ca does not contain readable PEM certificates.'],
      [true, { ca: `${cert}${broken}` }, 'tls.ca does not contain readable PEM certificates.'],
      [path, { ca: cert }, 'tls.ca: leave out tlsVerify where the authorities are given.'],
      [false, { ca: cert }, 'tls.ca: leave out tlsVerify where the authorities are given.'],
      [true, { cert }, 'tls.cert and tls.key go together.'],
      [true, { key }, 'tls.cert and tls.key go together.'],
      [true, { cert: broken, key }, 'tls.cert does not contain readable PEM certificates.'],
      [true, { cert, key: other.key }, 'tls.key is not the readable PEM private key of tls.cert.'],
      [true, { cert, key: 'no pem' }, 'tls.key is not the readable PEM private key of tls.cert.'],
      [5 as never, {}, 'tlsVerify must be true, false, or the path of a CA bundle.'],
      [`${path}-none`, {}, `tlsVerify: the CA bundle "${path}-none" cannot be read (ENOENT).`],
      [dirname(path), {}, 'cannot be read (EISDIR).'],
      [textFile('no.pem', 'no pem'), {}, 'does not contain readable PEM certificates.'],
    ];
    for (const [verify, tls, problem] of rows) {
      expect(() => readTlsTrust(verify, tls)).toThrow(TypeError);
      expect(() => readTlsTrust(verify, tls)).toThrow(problem);
    }
  });
});
