import { type PlatformError, PlatformUnreachableError } from 'portico/client';
import { type PlatformSettings } from '../config/platform-settings.js';

/** A problem between the service and the platform, for the operator, and the setting that fixes it. */
export interface Advice {
  readonly found: string;
  /** Starts with the name of the setting. */
  readonly fix: string;
}

const UNREACHABLE: Readonly<Record<string, Advice>> = {
  DNS: {
    found: 'the host name of the platform does not resolve',
    fix: 'PLATFORM_BASE_URL: check the host name, or the DNS of this machine',
  },
  CONNECT: {
    found: 'nothing answers at the address of the platform',
    fix: 'PLATFORM_BASE_URL: check host and port, and whether a firewall lets this machine through',
  },
};

/** What to do about a certificate, by Node's error code. */
const CERTIFICATE: Readonly<Record<string, Advice>> = {
  CERT_HAS_EXPIRED: {
    found: 'the certificate of the platform has expired',
    fix: 'the platform itself: renew its certificate',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    found: 'the certificate is not for this host name',
    fix: 'PLATFORM_BASE_URL: use a host name that the certificate names',
  },
};

/** What is wrong with the certificate of the platform, by Node's error code. */
export function certificateAdvice(code: string | undefined): Advice {
  const known = code === undefined ? undefined : CERTIFICATE[code];
  return (
    known ?? {
      found: `the certificate of the platform is not trusted (${code ?? 'unknown reason'})`,
      fix: 'PLATFORM_TLS_VERIFY: set it to the path of the bundle of the authority that issued the certificate',
    }
  );
}

/** What an error of the platform client says about the settings; undefined if nothing. */
export function adviceFor(error: PlatformError, settings: PlatformSettings): Advice | undefined {
  if (error.redirectHost !== undefined) return redirectAdvice(error.redirectHost);
  if (error.tokenHeader !== undefined) {
    const vendor = error.tokenHeader.split('-')[1] ?? '';
    return {
      found: `the login brought its token in ${error.tokenHeader}, where X-${settings.PLATFORM_HEADER_VENDOR}-AuthToken is expected`,
      fix: `PLATFORM_HEADER_VENDOR: set it to ${vendor}`,
    };
  }
  if (error instanceof PlatformUnreachableError) return unreachableAdvice(error);
  if (error.kind === 'timeout') {
    return {
      found: `the platform did not answer within ${settings.PLATFORM_TIMEOUT_MS} ms`,
      fix: 'PLATFORM_BASE_URL: check host and port; PLATFORM_TIMEOUT_MS: raise it if the platform is slow',
    };
  }
  if (error.kind === 'too-many-redirects') {
    return {
      found: 'the platform redirects endlessly',
      fix: 'PLATFORM_BASE_URL: set it to the address that the platform itself uses',
    };
  }
  if (isGatewayFailure(error)) {
    return {
      found: `a gateway answered for the platform (HTTP ${error.status})`,
      fix: 'the platform itself: it is down or overloaded; see whether it runs, and the log of the gateway',
    };
  }
  // The answer has no platform code, so it comes from a proxy, a web server or another application.
  if (error.kind === 'protocol' || (error.code === 'N/A' && error.status !== undefined))
    return notTheApi(error.status);
  if (error.kind === 'not-found') {
    return {
      found: `there is no REST API at this path (HTTP ${error.status ?? 404})`,
      fix: 'PLATFORM_BASE_URL: check its path; it usually ends with /api',
    };
  }
  return undefined;
}

function unreachableAdvice({ message, reason }: PlatformUnreachableError): Advice | undefined {
  const code = /\(([A-Z0-9_]+)\)/.exec(message)?.[1];
  if (reason === 'TLS') return certificateAdvice(code);
  const advice = UNREACHABLE[reason];
  return advice && { ...advice, found: code === undefined ? advice.found : `${advice.found} (${code})` };
}

const GATEWAY_FAILURES: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Whether a gateway says that it cannot reach the platform: that says nothing about the base URL. */
export function isGatewayFailure(error: PlatformError): boolean {
  return (error.kind === 'protocol' || error.code === 'N/A') && GATEWAY_FAILURES.has(error.status);
}

/** Something answered that is not the REST API. */
export function notTheApi(status: number | undefined, isHtml = false): Advice {
  const what = isHtml ? 'an HTML page' : 'something that is not the REST API';
  return {
    found: `${what} answered${status === undefined ? '' : ` (HTTP ${status})`}`,
    fix: 'PLATFORM_BASE_URL: set it to the REST root of the platform; its path usually ends with /api',
  };
}

function redirectAdvice(host: string): Advice {
  return {
    found: `the platform redirects to ${host}, such as to a sign-on page`,
    fix: 'PLATFORM_BASE_URL: set it to the address of the REST API itself, past the sign-on proxy',
  };
}
