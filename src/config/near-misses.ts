import { distance } from 'fastest-levenshtein';
import { type Environment } from './environment.js';
import { secretSettings, settingDescriptions } from './setting.js';
import { LOWER_CASE_TOO } from './platform-settings.js';

/** Shorter names are close to too many others: `POST` is not a misspelled `PORT`. */
const SHORTEST = 8;
const LONG = 14;
/** What settings were called before. */
const FORMER: Readonly<Record<string, string>> = { TRUST_PROXY_HOPS: 'TRUSTED_PROXIES' };

/** Names the variables of an environment that look like a misspelled setting and so have no effect. */
export function nearMisses(environment: Environment): string[] {
  const secrets = secretSettings();
  const settings = settingDescriptions().map(({ name }) => name);
  const names = settings.flatMap((name) => (secrets.has(name) ? [name, `${name}_FILE`] : [name]));
  const known = new Set([...names, ...LOWER_CASE_TOO.map((name) => name.toLowerCase())]);
  return Object.keys(environment)
    .filter((name) => !known.has(name) && name.length <= 64)
    .flatMap((name) => {
      const meant = FORMER[name] ?? nearest(name, names) ?? withoutFile(name, settings);
      return meant === undefined ? [] : [`${name} is not a setting and has no effect: do you mean ${meant}?`];
    });
}

function nearest(name: string, settings: readonly string[]): string | undefined {
  const written = name.toUpperCase().replaceAll('-', '_');
  return (
    settings.find((setting) => isNear(written, setting)) ??
    settings.find((setting) => lacksWord(written, setting))
  );
}

function isNear(written: string, setting: string): boolean {
  if (Math.min(written.length, setting.length) < SHORTEST) return isSwapped(written, setting);
  return distance(written, setting) <= (setting.length < LONG ? 2 : 3);
}

/** Whether at most two neighbors have changed places, as in `PROT`. */
function isSwapped(written: string, setting: string): boolean {
  let at = 0;
  while (at < written.length && written[at] === setting[at]) at += 1;
  const swapped = `${written.slice(0, at)}${written[at + 1] ?? ''}${written[at] ?? ''}${written.slice(at + 2)}`;
  return swapped === setting;
}

/** Whether a word in the middle is missing, as in `PLATFORM_URL`. */
function lacksWord(written: string, setting: string): boolean {
  const words = setting.split('_');
  return words.some(
    (_word, n) => n > 0 && n < words.length - 1 && words.toSpliced(n, 1).join('_') === written,
  );
}

/** Only secrets can be given by a file. */
function withoutFile(name: string, settings: readonly string[]): string | undefined {
  return settings.find((setting) => `${setting}_FILE` === name);
}
