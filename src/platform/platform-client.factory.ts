import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import {
  type ListCache,
  PlatformClient,
  type PlatformClientOptions,
  type TlsOptions,
  type UnusableCookie,
} from 'portico/client';
import { SettingsError } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';
import { isReadableFile } from '../config/checks.js';

/** What is wrong with the file of an option, by the name of its setting, which the operator knows. */
const UNUSABLE_FILE: Readonly<Record<'tlsVerify' | 'tls' | 'iserverMessages', string>> = {
  tlsVerify: 'PLATFORM_TLS_VERIFY must be the path of a bundle of PEM certificates',
  tls: 'PLATFORM_TLS_CERT and PLATFORM_TLS_KEY must be PEM files of a certificate and of its private key',
  iserverMessages: 'ISERVER_MESSAGES_FILE must be a JSON object of messages by integer codes',
};

/** The one client of the service. */
export function platformClient(
  settings: Settings,
  baseUrl: string,
  observers: Pick<PlatformClientOptions, 'observeCall' | 'onCircuitChange' | 'onUnusableCookie' | 'now'>,
): PlatformClient {
  const proxy = settings.platformProxy;
  try {
    return new PlatformClient({
      baseUrl,
      vendor: settings.PLATFORM_HEADER_VENDOR,
      maxRedirects: settings.PLATFORM_MAX_REDIRECTS,
      tlsVerify: settings.PLATFORM_TLS_VERIFY,
      tls: clientCertificate(settings),
      timeoutMs: settings.PLATFORM_TIMEOUT_MS,
      queueTimeoutMs: settings.PLATFORM_TIMEOUT_MS,
      maxResponseBytes: settings.PLATFORM_MAX_ANSWER_BYTES,
      ...(proxy === undefined ? {} : { proxy, noProxy: settings.NO_PROXY }),
      transport: settings.PLATFORM_TRANSPORT,
      applicationType: settings.PLATFORM_APPLICATION_TYPE,
      iserverMessages: settings.ISERVER_MESSAGES_FILE,
      circuitBreaker: true,
      listCache: listCache(),
      ...observers,
    });
  } catch (fault) {
    // A TypeError of the client starts with the name of its option.
    const option = fault instanceof TypeError ? /^\w+/.exec(fault.message)?.[0] : undefined;
    if (option === 'tlsVerify' || option === 'tls' || option === 'iserverMessages')
      throw new SettingsError([UNUSABLE_FILE[option]]);
    throw fault;
  }
}

/** What it shows to the platform; nothing unless the settings name it. */
function clientCertificate({ PLATFORM_TLS_CERT: cert, PLATFORM_TLS_KEY: key }: Settings): TlsOptions {
  return cert === undefined || key === undefined ? {} : { cert: readFileSync(cert), key: readFileSync(key) };
}

/** In bytes of responses: two lists of 10,000 projects, which take about four times as many in memory. */
const MOST_LIST_BYTES = 8 * 1024 * 1024;
const LIST_KEPT_MS = 30_000;

/** The guests of a platform, and users with the same rights, see the same projects: those are parsed once. */
function listCache(): ListCache {
  const lists = new LRUCache<string, object[]>({
    maxSize: MOST_LIST_BYTES,
    ttl: LIST_KEPT_MS,
    ttlAutopurge: true,
  });
  return {
    get: (digest) => lists.get(digest),
    set: (digest, list, size) => lists.set(digest, list, { size }),
  };
}

/** The problems of the files that the client reads, each with its setting. */
export async function problemsInPlatformFiles(settings: Settings): Promise<string[]> {
  const { PLATFORM_TLS_VERIFY: tlsVerify, ISERVER_MESSAGES_FILE: iserverMessages } = settings;
  const problems: string[] = [];
  if (isReadableFile(tlsVerify) && !(await isUsable({ tlsVerify }))) problems.push(UNUSABLE_FILE.tlsVerify);
  const { PLATFORM_TLS_CERT: cert, PLATFORM_TLS_KEY: key } = settings;
  if (
    isReadableFile(cert) &&
    isReadableFile(key) &&
    !(await isUsable({ tls: clientCertificate(settings) }))
  ) {
    problems.push(UNUSABLE_FILE.tls);
  }
  if (isReadableFile(iserverMessages) && !(await isUsable({ iserverMessages }))) {
    problems.push(UNUSABLE_FILE.iserverMessages);
  }
  return problems;
}

/** Whether a client can be made with an option; no call is made. */
async function isUsable(
  option: Pick<PlatformClientOptions, 'tlsVerify' | 'tls' | 'iserverMessages'>,
): Promise<boolean> {
  try {
    await new PlatformClient({ baseUrl: 'http://localhost/', ...option }).close();
    return true;
  } catch (fault) {
    if (fault instanceof TypeError) return false;
    throw fault;
  }
}

const COOKIE_ADVICE: Readonly<Record<UnusableCookie['problem'], string>> = {
  secure: 'is for https, but PLATFORM_BASE_URL begins with http:. Set it to the https: URL of the platform.',
  path: 'is for another path than that of PLATFORM_BASE_URL. Set it to the path under which the platform itself runs.',
  domain:
    'is for a domain that the host of PLATFORM_BASE_URL is not in. Set it to the host name that the platform itself uses, ' +
    'or let the proxy in front of the platform rewrite the domain (nginx: proxy_cookie_domain).',
  size: 'is longer than 4096 bytes, which browsers do not accept either. Shorten it where it is set: at the platform or its proxy.',
  limit:
    'is one too many for a session, which holds 50 cookies and 8192 bytes. Set fewer or shorter ones at the platform or its proxy.',
  malformed:
    'is not a valid cookie, or breaks the rules of its prefix. Correct it where it is set: at the platform or its proxy.',
};

/** Reports each problem once, since every login would repeat it. */
export function reportCookieOnce(logger: { warn(message: string): void }): (cookie: UnusableCookie) => void {
  const reported = new Set<string>();
  return ({ name, problem }) => {
    if (reported.has(problem)) return;
    reported.add(problem);
    logger.warn(
      `The platform's cookie "${name.slice(0, 64)}" is never sent back: it ${COOKIE_ADVICE[problem]}`,
    );
  };
}
