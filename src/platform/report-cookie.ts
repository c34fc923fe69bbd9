import { type UnusableCookie } from 'portico/client';

const COOKIE_ADVICE: Readonly<Record<UnusableCookie['problem'], string>> = {
  secure: 'is for https, but PLATFORM_BASE_URL begins with http:. Set it to the https: URL of the platform.',
  path: 'is for another path than that of PLATFORM_BASE_URL. Set it to the path under which the platform itself runs.',
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
