import {
  type PlatformClient,
  PlatformError,
  type PlatformResponse,
  PlatformUnreachableError,
} from 'portico/client';
import { type PlatformSettings } from '../config/platform-settings.js';
import { adviceFor, isGatewayFailure, notTheApi, type Advice } from './advice.js';

/** The result of asking the platform for its status. */
export interface ProbeResult {
  /** `ANSWERED`, or why not, in one word that may be public. */
  readonly outcome: 'ANSWERED' | 'WRONG_BASE_URL' | 'REDIRECTED' | 'UNREACHABLE' | 'FAILED';
  /** The version that the platform reports. */
  readonly version?: string | undefined;
  /** What is wrong, or could be better. */
  readonly advice?: Advice | undefined;
  /** The platform's time minus that of this machine, in milliseconds; by its `Date` header, to the second. */
  readonly clockDifferenceMs?: number | undefined;
}

/** How the probe reaches the platform: by the service's own client, so that it sees what requests see. */
export interface Probing {
  readonly client: PlatformClient;
  readonly settings: PlatformSettings;
  /** A client like it for another base URL. */
  readonly clientFor: (baseUrl: string) => PlatformClient;
  readonly now?: () => number;
}

/** Asks `GET status`, which needs no session. Never rejects. */
export async function probePlatform(probing: Probing): Promise<ProbeResult> {
  const { client, settings, now = Date.now } = probing;
  try {
    const response = await client.openSession().request('GET', 'status', { includeAuth: false });
    const version = versionOf(response);
    if (version === undefined) {
      return await wrongBase(
        probing,
        notTheApi(response.status, /html/i.test(response.header('content-type') ?? '')),
      );
    }
    const date = Date.parse(response.header('date') ?? '');
    const clockDifferenceMs = Number.isNaN(date) ? undefined : date - now();
    const end = response.url.replace(/status$/, '');
    if (end === client.baseUrl) return { outcome: 'ANSWERED', version, clockDifferenceMs };
    const advice = { found: `the platform redirects to ${end}`, fix: `PLATFORM_BASE_URL: set it to ${end}` };
    return { outcome: 'REDIRECTED', version, clockDifferenceMs, advice };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const otherScheme = await wrongScheme(probing, error);
    if (otherScheme !== undefined) return { outcome: 'WRONG_BASE_URL', advice: otherScheme };
    const advice = adviceFor(error, settings);
    if (error.redirectHost !== undefined || error.kind === 'too-many-redirects')
      return { outcome: 'REDIRECTED', advice };
    if (error.kind === 'unreachable' || error.kind === 'timeout' || isGatewayFailure(error))
      return { outcome: 'UNREACHABLE', advice };
    if (error.kind === 'not-found' || error.kind === 'protocol' || error.kind === 'unknown') {
      return wrongBase(probing, advice);
    }
    return {
      outcome: 'FAILED',
      advice: advice ?? { found: error.message, fix: 'the platform itself: see its log' },
    };
  }
}

const BAD_REQUEST = 400;
/** No TLS is spoken, or none that this machine understands; other codes are about a certificate that was shown. */
const NO_HANDSHAKE = /\((?:ERR_SSL_|EPROTO)/;

/** What to do if the port speaks TLS and the base URL is http, or the other way round. */
async function wrongScheme(
  { client, clientFor }: Probing,
  error: PlatformError,
): Promise<Advice | undefined> {
  const isUnreachable = error instanceof PlatformUnreachableError && /^(?:CONNECT|TLS)$/.test(error.reason);
  // Many servers answer plain http at their TLS port by 400, others by an alert of TLS, which is not HTTP.
  const isNotHttp = error.kind === 'protocol' && error.status === undefined;
  if (!isUnreachable && !isNotHttp && error.status !== BAD_REQUEST) return undefined;
  const { protocol, host, port, pathname } = new URL(client.baseUrl);
  const isTls = protocol === 'https:';
  const url = new URL(
    `${isTls ? 'http' : 'https'}://${port === '' ? `${host}:${isTls ? 443 : 80}` : host}${pathname}`,
  );
  const other = clientFor(url.href);
  try {
    await other.openSession().request('GET', 'status', { includeAuth: false });
  } catch (failure) {
    if (!(failure instanceof PlatformError) || !provesScheme(failure, isTls)) return undefined;
  } finally {
    await other.close();
  }
  return {
    found: `the platform speaks ${isTls ? 'plain http' : 'TLS'} there, not ${isTls ? 'TLS' : 'plain http'}`,
    fix: `PLATFORM_BASE_URL: set it to ${url.href}, or to the port that speaks ${isTls ? 'TLS' : 'plain http'}`,
  };
}

/** Whether a call that failed shows that its scheme is the right one. */
function provesScheme(failure: PlatformError, isPlain: boolean): boolean {
  if (failure.status !== undefined) return !isPlain || failure.status !== BAD_REQUEST;
  const isTlsFailure = failure instanceof PlatformUnreachableError && failure.reason === 'TLS';
  return !isPlain && isTlsFailure && !NO_HANDSHAKE.test(failure.message);
}

/** Whether the REST API is below the base URL: the most common mistake is a base URL without `/api`. */
async function wrongBase({ client, clientFor }: Probing, advice: Advice | undefined): Promise<ProbeResult> {
  const below = `${client.baseUrl}api`;
  const other = clientFor(below);
  try {
    if (versionOf(await other.openSession().request('GET', 'status', { includeAuth: false })) === undefined)
      throw new Error();
    return {
      outcome: 'WRONG_BASE_URL',
      advice: {
        found: `the REST API does not answer at ${client.baseUrl}, but at ${below}`,
        fix: `PLATFORM_BASE_URL: set it to ${below}`,
      },
    };
  } catch {
    return { outcome: 'WRONG_BASE_URL', advice };
  } finally {
    await other.close();
  }
}

/** The version in a status answer; undefined if the answer has none. */
function versionOf(response: PlatformResponse): string | undefined {
  try {
    const { webVersion, iServerVersion } = response.json<Record<string, unknown>>();
    const version = webVersion ?? iServerVersion;
    return typeof version === 'string' ? version.replace(/[^\w.-]/g, '').slice(0, 64) : undefined;
  } catch {
    return undefined;
  }
}
