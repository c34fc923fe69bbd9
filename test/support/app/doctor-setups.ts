import { randomBytes } from 'node:crypto';
import { examine } from '../../../src/app/doctor.js';
import { findingsTable } from '../../../src/app/finding.js';
import { readInstallation } from '../../../src/app/doctor.js';
import { type DoctorLogin } from '../../../src/app/look-at-login.js';
import { makeCertificate } from '../../../packages/portico/test/support/client/certificate.js';
import {
  loginAnswer,
  redirectTo,
} from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type Script,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';

/** One installation that the doctor looks at. */
export interface Setup {
  readonly environment: Readonly<Record<string, string>>;
  readonly login?: DoctorLogin;
}

const STATUS = { status: 200, body: { webVersion: '11.5.0900' } };
const PAGE = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' };
const USER = { username: 'demo', password: 'demo' };
const WELL: Script = {
  'GET status': STATUS,
  'POST auth/login': loginAnswer(),
  'POST auth/logout': { status: 204 },
  'GET projects': { status: 200, body: [{ id: 'B19DEDCC11D4E0EFC000EB9495D0F44F', name: 'Tutorial' }] },
};

const platform = async (script: Script, path?: string): Promise<string> =>
  (await startScriptedPlatform(script, path === undefined ? {} : { path })).baseUrl;

async function tlsPlatform(isExpired: boolean): Promise<Record<string, string>> {
  const certificate = await makeCertificate({ isExpired });
  const { baseUrl } = await startScriptedPlatform(WELL, { tls: certificate });
  return { PLATFORM_BASE_URL: baseUrl, ...(!isExpired && { PLATFORM_TLS_VERIFY: certificate.path }) };
}

/** By the headings of docs/doctor.md. */
export const SETUPS: Readonly<Record<string, () => Promise<Setup>>> = {
  'Everything is fine': async () => ({
    environment: { PLATFORM_BASE_URL: await platform(WELL) },
    login: USER,
  }),
  'Settings that cannot be used': () =>
    Promise.resolve({
      environment: {
        NODE_ENV: 'prod',
        SESSION_HEADER: 'cookie',
        PLATFROM_BASE_URL: 'https://analytics.example/api',
      },
    }),
  'The base URL lacks /api': async () => ({
    environment: { PLATFORM_BASE_URL: (await platform({ ...WELL }, '/library/api')).replace(/api\/$/, '') },
  }),
  'The base URL is that of a web page': async () => ({
    environment: { PLATFORM_BASE_URL: await platform({ '*': PAGE }) },
  }),
  'The path of the base URL is wrong': async () => ({
    environment: { PLATFORM_BASE_URL: `${await platform(WELL)}v2` },
  }),
  'Nothing answers at the host': () =>
    Promise.resolve({ environment: { PLATFORM_BASE_URL: 'http://127.0.0.1:9/api' } }),
  'The host name does not exist': () =>
    Promise.resolve({ environment: { PLATFORM_BASE_URL: 'https://analytics.invalid/api' } }),
  'A sign-on proxy in front of the platform': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform({ '*': redirectTo('https://login.example/sign-on?back=1') }),
    },
  }),
  'The platform has moved to another path': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform({
        'GET status': redirectTo('/api/v2/status', 301),
        'GET v2/status': STATUS,
      }),
    },
  }),
  'The vendor of the headers is wrong': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform({
        ...WELL,
        'POST auth/login': { status: 204, headers: { 'X-MSTR-AuthToken': 'token-1' } },
      }),
    },
    login: USER,
  }),
  'The certificate is not trusted': async () => {
    const { PLATFORM_BASE_URL = '' } = await tlsPlatform(false);
    return { environment: { PLATFORM_BASE_URL } };
  },
  'The certificate expires soon': async () => ({ environment: await tlsPlatform(false), login: USER }),
  'The certificate has expired': async () => ({ environment: await tlsPlatform(true) }),
  'The base URL says https, and the port speaks plain http': async () => ({
    environment: { PLATFORM_BASE_URL: (await platform(WELL)).replace('http:', 'https:') },
  }),
  'The base URL says http, and the port speaks TLS': async () => ({
    environment: {
      PLATFORM_BASE_URL: (await tlsPlatform(false)).PLATFORM_BASE_URL?.replace('https:', 'http:') ?? '',
    },
  }),
  'The OpenTelemetry collector does not answer': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform(WELL),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
  }),
  'The platform is down behind its gateway': async () => ({
    environment: { PLATFORM_BASE_URL: await platform({ '*': { ...PAGE, status: 503 } }) },
  }),
  'The password is wrong': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform({
        ...WELL,
        'POST auth/login': { status: 401, body: { code: 'ERR003', message: 'CANARY' } },
      }),
    },
    login: USER,
  }),
  'The clock is wrong': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform({
        ...WELL,
        'GET status': { ...STATUS, headers: { date: new Date(Date.now() + 3_600_000).toUTCString() } },
      }),
    },
  }),
  'Redis cannot be reached': async () => ({
    environment: {
      PLATFORM_BASE_URL: await platform(WELL),
      SESSION_STORE: 'redis',
      REDIS_URL: 'redis://:CANARY@127.0.0.1:9',
    },
  }),
};

/** What the doctor prints, with an address of the documentation in place of the test's. */
export async function doctorPrints({ environment, login }: Setup, folder: string): Promise<string> {
  const installation = await readInstallation({
    SESSION_STORE_PATH: `${folder}/${randomBytes(8).toString('hex')}.db`,
    ...environment,
  });
  const text = findingsTable(await examine(installation, login));
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, 'analytics.example')
    .replaceAll('EAI_AGAIN', 'ENOTFOUND')
    .replaceAll(/SQLite [\d.]+/g, 'SQLite 3.53')
    .replaceAll(/\b(?:3599|3601) seconds/g, '3600 seconds');
}
