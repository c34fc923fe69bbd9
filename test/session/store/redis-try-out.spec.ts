import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Certificate,
  makeCertificate,
} from '../../../packages/portico/test/support/client/certificate.js';
import { parseSettings } from '../../../src/config/parse-settings.js';
import { tryOut } from '../../../src/session/store/redis-session-store.js';
import { freePort } from '../../support/free-port.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';
import { tempFolder } from '../../support/temp-folder.js';

const suite = redisMissing === undefined ? describe : describe.skip;
const PASSWORD = 'CANARY-PW-redis';

suite(`an operator who sets up Redis (${redisMissing ?? 'started here'})`, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let certificate: Certificate;
  let plain: RunningRedis;
  let tlsPort: number;
  let web: Server;
  let at: Record<'plain' | 'tls' | 'web' | 'nothing', number>;
  let files: Record<'REDIS_TLS_CA' | 'REDIS_TLS_CERT' | 'REDIS_TLS_KEY', string>;
  beforeAll(async () => {
    folder = await tempFolder();
    certificate = await makeCertificate();
    files = {
      REDIS_TLS_CA: certificate.path,
      REDIS_TLS_CERT: certificate.path,
      REDIS_TLS_KEY: `${folder.path}/key.pem`,
    };
    await writeFile(files.REDIS_TLS_KEY, certificate.key);
    tlsPort = await freePort();
    plain = await startRedis(
      [
        ...['--requirepass', PASSWORD, '--tls-port', String(tlsPort), '--tls-auth-clients', 'yes'],
        ...['--tls-cert-file', files.REDIS_TLS_CERT, '--tls-key-file', files.REDIS_TLS_KEY],
        ...['--tls-ca-cert-file', files.REDIS_TLS_CA],
      ],
      { password: PASSWORD },
    );
    web = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(web, 'listening');
    at = {
      plain: plain.port,
      tls: tlsPort,
      web: (web.address() as AddressInfo).port,
      nothing: await freePort(),
    };
  });
  afterAll(async () => {
    web.closeAllConnections();
    web.close();
    await plain.close();
    await folder.remove();
  });

  const tried = async (url: string, more: Record<string, string> = {}): Promise<string> => {
    const settings = parseSettings({ SESSION_STORE: 'redis', REDIS_URL: url, ...more });
    return tryOut(settings).then(
      ({ product }) => product,
      (error: unknown) => (error as Error).message,
    );
  };

  it.each<[string, keyof typeof at, string, string, RegExp]>([
    ['the right password', 'plain', 'redis', `:${PASSWORD}@`, /^Redis \d/],
    ['no password', 'plain', 'redis', '', /it needs a password/],
    ['a wrong password', 'plain', 'redis', ':CANARY-PW-wrong@', /it refuses the user or the password/],
    [
      'TLS at a plain port',
      'plain',
      'rediss',
      `:${PASSWORD}@`,
      /does not (speak|answer in) TLS at that port/,
    ],
    ['no TLS at a port with TLS', 'tls', 'redis', `:${PASSWORD}@`, /a port with TLS needs rediss:\/\//],
    ['TLS without its authority', 'tls', 'rediss', `:${PASSWORD}@`, /its certificate is not trusted/],
    ['a web server', 'web', 'redis', '', /what answers at that port is not Redis/],
    ['a port where nothing listens', 'nothing', 'redis', '', /nothing listens at that port/],
  ])('is told what is wrong with %s', async (_what, port, scheme, user, said) => {
    const message = await tried(`${scheme}://${user}127.0.0.1:${at[port]}`);
    expect(message).toMatch(said);
    expect(message).not.toContain('CANARY');
  });

  it('gets in with a client certificate where Redis asks for one', async () => {
    const url = `rediss://:${PASSWORD}@127.0.0.1:${tlsPort}`;
    expect(await tried(url, files)).toMatch(/^Redis \d/);
    expect(await tried(url, { REDIS_TLS_CA: files.REDIS_TLS_CA })).not.toMatch(/^Redis \d/);
  });
});
