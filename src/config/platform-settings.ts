import { IsIn, IsString } from 'class-validator';
import {
  Flag,
  isHttpProxyUrl,
  isPlainHttpUrl,
  isReadableFile,
  LONGEST_TIMER_MS,
  Matching,
  ReadableFile,
  Rule,
  TrueOrFalse,
  WholeNumber,
  WithoutFinalSlash,
} from './checks.js';
import { Secret, Setting } from './setting.js';
import { isProduction, type ServiceSettings } from './service-settings.js';

const IS_PROXY = 'must be an http URL without path, query, or fragment';

export class PlatformSettings {
  @Setting(
    'the REST root of the platform, with or without a final `/`; if not set: the embedded platform',
    'https://analytics.example/MicroStrategyLibrary/api',
  )
  @Rule(
    'must be an http or https URL without user, query, or fragment',
    (value) => value === undefined || isPlainHttpUrl(value),
  )
  @Rule(
    'is required: the embedded platform does not run in production unless EMBEDDED_PLATFORM=on, and never with EMBEDDED_PLATFORM=off',
    (value, settings: ServiceSettings & EmbeddedPlatformSettings) =>
      value !== undefined ||
      (settings.EMBEDDED_PLATFORM === 'auto'
        ? !isProduction(settings)
        : settings.EMBEDDED_PLATFORM !== 'off'),
  )
  PLATFORM_BASE_URL?: string;

  @Setting('the vendor segment of the header names `X-<vendor>-…`; the best-known deployment uses `MSTR`')
  @Matching(/^[A-Za-z0-9]{1,32}$/, 'must be 1 to 32 letters or digits')
  PLATFORM_HEADER_VENDOR = 'SVC';

  @Setting('how many redirects one call may follow; any more are a too-many-redirects error')
  @WholeNumber(0, 100)
  PLATFORM_MAX_REDIRECTS = 30;

  @Setting(
    '`true`, `false` (testing only; in production it also needs `ALLOW_INSECURE_TLS=true`), or the path of a CA bundle',
  )
  @TrueOrFalse()
  @Rule(
    'must be true, false, or the path of a readable file',
    (value) => typeof value === 'boolean' || isReadableFile(value),
  )
  @Rule(
    'may be false in production only together with ALLOW_INSECURE_TLS=true',
    (value, settings: ServiceSettings & PlatformSettings) =>
      value !== false || !isProduction(settings) || settings.ALLOW_INSECURE_TLS,
  )
  PLATFORM_TLS_VERIFY: boolean | string = true;

  @Setting(
    'the file of the client certificate that is shown to the platform',
    '/etc/portico/platform-cert.pem',
  )
  @ReadableFile()
  @Rule(
    'needs PLATFORM_TLS_KEY',
    (value, settings: PlatformSettings) => value === undefined || settings.PLATFORM_TLS_KEY !== undefined,
  )
  PLATFORM_TLS_CERT?: string;

  @Setting('the file of the private key of that certificate', '/etc/portico/platform-key.pem')
  @ReadableFile()
  @Rule(
    'needs PLATFORM_TLS_CERT',
    (value, settings: PlatformSettings) => value === undefined || settings.PLATFORM_TLS_CERT !== undefined,
  )
  PLATFORM_TLS_KEY?: string;

  @Setting('allows `PLATFORM_TLS_VERIFY=false` and `NODE_TLS_REJECT_UNAUTHORIZED=0` in production')
  @Flag()
  ALLOW_INSECURE_TLS = false;

  @Setting(
    'time limit of one platform call in milliseconds, including redirects and retries; it may wait as long again for a connection',
  )
  @WholeNumber(10, LONGEST_TIMER_MS)
  PLATFORM_TIMEOUT_MS = 8000;

  @Setting('maximum size of an answer from the platform in bytes, decoded; a larger one fails only that call')
  @WholeNumber(1024, 1024 * 1024 * 1024)
  PLATFORM_MAX_ANSWER_BYTES = 4 * 1024 * 1024;

  @Setting(
    'the HTTP proxy to the platform, with user name and password if it requires them; an https platform is reached by `CONNECT`',
    'http://user:password@proxy.example:3128',
  )
  @Rule(IS_PROXY, (value) => value === undefined || isHttpProxyUrl(value))
  @Secret()
  PLATFORM_PROXY_URL?: string;

  @Setting(
    'the proxy to an https platform if `PLATFORM_PROXY_URL` is not set, as in other tools; the name may be in lower case',
    'http://proxy.example:3128',
  )
  @Rule(IS_PROXY, isUsualProxy('https:'))
  HTTPS_PROXY?: string;

  @Setting('the same for an http platform', 'http://proxy.example:3128')
  @Rule(IS_PROXY, isUsualProxy('http:'))
  HTTP_PROXY?: string;

  @Setting(
    'hosts that are reached without a proxy, as in other tools: names (subdomains included), addresses, ranges, each with or without `:port`, or `*`',
    'localhost,.internal.example,10.0.0.0/8',
  )
  @IsString()
  NO_PROXY = '';

  @Setting('the HTTP library of the platform client: `undici` or `got`; same behavior, `got` costs more CPU')
  @IsIn(['got', 'undici'])
  PLATFORM_TRANSPORT: 'got' | 'undici' = 'undici';

  @Setting('the `applicationType` of a login that does not specify one')
  @WholeNumber(0, 65535)
  PLATFORM_APPLICATION_TYPE = 8;

  @Setting(
    'a JSON file with more back-end codes and their messages: `{"-2147216959": "text"}`',
    'iserver-messages.json',
  )
  @ReadableFile()
  ISERVER_MESSAGES_FILE?: string;
}

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

export class EmbeddedPlatformSettings {
  @Setting('`auto` (only without a base URL and not in production), `on`, or `off`')
  @IsIn(['auto', 'on', 'off'])
  EMBEDDED_PLATFORM: 'auto' | 'on' | 'off' = 'auto';

  @Setting(
    'the port of the embedded platform, always on loopback; `0`: any free port (`npm run platform`: 3100)',
  )
  @WholeNumber(0, 65535)
  EMBEDDED_PLATFORM_PORT = 0;

  @Setting('the context path of the embedded platform')
  @WithoutFinalSlash()
  @Matching(/^(\/[A-Za-z0-9._-]+)+$/, 'must be a path such as /api')
  EMBEDDED_PLATFORM_PATH = '/api';

  @Setting('seconds without use after which a session of the embedded platform times out')
  @WholeNumber(1, 365 * 24 * 3600)
  EMBEDDED_PLATFORM_IDLE_SECONDS = 1800;
}
