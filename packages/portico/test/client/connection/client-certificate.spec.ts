import { createServer } from 'node:https';
import { type TLSSocket } from 'node:tls';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformClient, PlatformUnreachableError } from '../../../src/client/index.js';
import { type Certificate, makeCertificate } from '../../support/client/certificate.js';

describe.each(['got', 'undici'] as const)(
  'a platform that asks for a client certificate, by %s,',
  (transport) => {
    let [platform, own, other]: Certificate[] = [];
    let baseUrl = '';
    let close = (): void => undefined;
    beforeAll(async () => {
      [platform, own, other] = await Promise.all([makeCertificate(), makeCertificate(), makeCertificate()]);
      const { key, cert } = platform;
      const server = createServer({ key, cert, ca: own.cert, requestCert: true }, (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(subject));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
      close = () => {
        server.closeAllConnections();
        server.close();
      };
    });
    afterAll(() => {
      close();
    });
    const ask = async (tls: object): Promise<unknown> => {
      await using client = new PlatformClient({ baseUrl, transport, tls });
      return (await client.openSession().request('GET', 'x', { includeAuth: false })).json();
    };

    it('is shown it, and trusted by the authorities that are given', async () => {
      const { cert, key } = own ?? {};
      const ca = platform?.cert;

      await expect(ask({ ca, cert, key: Buffer.from(key ?? '') })).resolves.toEqual({ CN: 'platform.test' });
      await expect(ask({ ca: other?.cert, cert, key })).rejects.toThrow(PlatformUnreachableError);
    });

    it('is not asked with certificates that cannot be used, and no message quotes them', async () => {
      const { cert, key } = own ?? {};

      await expect(ask({ cert })).rejects.toThrow('tls.cert and tls.key go together');
      await expect(ask({ cert, key: other?.key })).rejects.toThrow(
        'tls.key is not the readable PEM private key',
      );
      await expect(ask({ cert: 'none', key })).rejects.toThrow('tls.cert does not contain');
      await expect(ask({ ca: 5 })).rejects.toThrow('tls.ca must be');
      await expect(ask({ certificate: cert })).rejects.toThrow('do you mean cert?');
    });
  },
);
