import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { type Settings } from '../config/settings.js';
import { certificateAdvice } from '../platform/advice.js';
import { type ProbeResult } from '../platform/probe.js';
import { type Finding } from './finding.js';

/**
 * A difference below this may come from the whole seconds of the `Date` header and the time that the answer took to
 * arrive.
 */
const CLOCK_MS = 30_000;
const CERTIFICATE = 'certificate';
const SOON_DAYS = 21;
const DAY_MS = 24 * 3600 * 1000;

/** The findings of the probe. */
export function lookAtPlatform(
  baseUrl: string,
  { outcome, version, advice, clockDifferenceMs }: ProbeResult,
): Finding[] {
  const what = 'platform';
  if (advice !== undefined) {
    const state = outcome === 'REDIRECTED' && version !== undefined ? 'warning' : 'wrong';
    return [{ what, state, ...advice }, ...clock(clockDifferenceMs)];
  }
  return [
    { what, state: 'right', found: `version ${version ?? ''} answers at ${baseUrl}` },
    ...clock(clockDifferenceMs),
  ];
}

function clock(differenceMs: number | undefined): Finding[] {
  if (differenceMs === undefined) return [];
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (Math.abs(differenceMs) < CLOCK_MS) {
    return [{ what: 'clock', state: 'right', found: "the same as the platform's" }];
  }
  const found = `${seconds} seconds ${differenceMs > 0 ? 'behind' : 'ahead of'} the platform's clock`;
  return [
    {
      what: 'clock',
      state: 'warning',
      found,
      fix: 'this machine or the platform: run a time service (NTP) on both',
    },
  ];
}

/** Looks at the chain that the platform shows, on a connection of its own; behind a proxy it cannot be seen. */
export async function lookAtCertificate(
  baseUrl: string,
  settings: Settings,
  now = Date.now(),
): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== 'https:') return [withoutTls(hostname)];
  if (settings.platformProxy !== undefined) {
    return [
      { what: CERTIFICATE, state: 'skipped', found: 'not checked: the platform is reached through a proxy' },
    ];
  }
  const verify = settings.PLATFORM_TLS_VERIFY;
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(port || 443),
    ...(isIP(host) === 0 && { servername: host }),
    ...(typeof verify === 'string' && { ca: readFileSync(verify) }),
    // What is wrong with the chain is reported below.
    rejectUnauthorized: false,
    timeout: settings.PLATFORM_TIMEOUT_MS,
  });
  socket.on('timeout', () => socket.destroy(new Error('timeout')));
  try {
    await once(socket, 'secureConnect');
    return [...trust(socket, verify), expiry(socket.getPeerCertificate(true), now)];
  } catch {
    return [{ what: CERTIFICATE, state: 'skipped', found: 'no TLS connection could be made' }];
  } finally {
    socket.destroy();
  }
}

function withoutTls(hostname: string): Finding {
  const found = 'the platform is reached without TLS';
  if (/^(localhost|127\.|\[::1\])/.test(hostname)) return { what: CERTIFICATE, state: 'skipped', found };
  const fix = 'PLATFORM_BASE_URL: use its https address';
  return { what: CERTIFICATE, state: 'warning', found, fix };
}

function trust(socket: TLSSocket, verify: boolean | string): Finding[] {
  if (verify === false) {
    const found = 'certificates are not verified';
    return [
      {
        what: CERTIFICATE,
        state: 'warning',
        found,
        fix: 'PLATFORM_TLS_VERIFY: set it to true or to the path of a CA bundle',
      },
    ];
  }
  if (socket.authorized) {
    return [
      {
        what: CERTIFICATE,
        state: 'right',
        found: `trusted: ${chainOf(socket.getPeerCertificate(true)).join(' <- ')}`,
      },
    ];
  }
  const reason =
    (socket.authorizationError as unknown as NodeJS.ErrnoException | null)?.code ??
    String(socket.authorizationError);
  // `expiry` reports this.
  if (reason === 'CERT_HAS_EXPIRED') return [];
  return [{ what: CERTIFICATE, state: 'wrong', ...certificateAdvice(reason) }];
}

/** The names in the chain, from the platform's own up. Node's types do not say that the chain may end anywhere. */
function chainOf(first: DetailedPeerCertificate): string[] {
  const names: string[] = [];
  const seen = new Set<string>();
  let at: Partial<DetailedPeerCertificate> | undefined = first;
  while (at?.fingerprint256 !== undefined && !seen.has(at.fingerprint256)) {
    seen.add(at.fingerprint256);
    const name = String(at.subject?.CN ?? at.subject?.O ?? 'unnamed');
    names.push(name.replace(/[^\w .*-]/g, '?').slice(0, 64));
    at = at.issuerCertificate;
  }
  return names;
}

function expiry({ valid_to: end }: DetailedPeerCertificate, now: number): Finding {
  const days = Math.floor((Date.parse(end) - now) / DAY_MS);
  const fix = 'the platform itself: renew its certificate';
  if (days < 0) return { what: CERTIFICATE, state: 'wrong', found: 'it has expired', fix };
  const found = `it is valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  return days < SOON_DAYS
    ? { what: CERTIFICATE, state: 'warning', found, fix }
    : { what: CERTIFICATE, state: 'right', found };
}
