import { isHttpProxyUrl } from './checks.js';

/** What decides whether one of the usual variables names the proxy to the platform. */
interface ProxyChoice {
  readonly PLATFORM_BASE_URL?: string | undefined;
  readonly PLATFORM_PROXY_URL?: string | undefined;
  readonly HTTPS_PROXY?: string | undefined;
  readonly HTTP_PROXY?: string | undefined;
}

/** The variables that other tools read in lower case as well. */
export const LOWER_CASE_TOO: readonly string[] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

/** The proxy to the platform; none for the embedded one, which is on this machine. */
export function platformProxy(settings: ProxyChoice): string | undefined {
  const { PLATFORM_BASE_URL: base, PLATFORM_PROXY_URL: own } = settings;
  if (base === undefined) return undefined;
  if (own !== undefined) return own;
  const usual = protocolOf(base) === 'https:' ? settings.HTTPS_PROXY : settings.HTTP_PROXY;
  return usual === undefined ? undefined : withScheme(usual);
}

/** A check of a variable that other tools use too: it counts only if it names the proxy to the platform. */
export function isUsualProxy(protocol: 'http:' | 'https:') {
  return (value: unknown, { PLATFORM_BASE_URL: base, PLATFORM_PROXY_URL: own }: ProxyChoice): boolean =>
    base === undefined ||
    own !== undefined ||
    protocolOf(base) !== protocol ||
    value === undefined ||
    (typeof value === 'string' && isHttpProxyUrl(withScheme(value)));
}

/** Other tools accept `proxy.example:3128`. */
function withScheme(url: string): string {
  return url.includes('://') ? url : `http://${url}`;
}

function protocolOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}
