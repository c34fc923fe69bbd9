import { type UnusableCookie } from 'portico/client';

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
