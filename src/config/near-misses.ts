import { distance } from 'fastest-levenshtein';
import { type Environment } from './environment.js';
import { secretSettings, settingDescriptions } from './checks/setting.js';

/** Shorter names are close to too many others: `POST` is not a misspelled `PORT`. */
const SHORTEST = 8;
const LONG = 14;

/** Names the variables of an environment that look like a misspelled setting and so have no effect. */
export function nearMisses(environment: Environment): string[] {
  const secrets = secretSettings();
  const names = settingDescriptions().flatMap(({ name }) =>
    secrets.has(name) ? [name, `${name}_FILE`] : [name],
  );
  const known = new Set(names);
  return Object.keys(environment)
    .filter((name) => !known.has(name) && name.length <= 64)
    .flatMap((name) => {
      const meant = names.find((setting) => isNear(name, setting));
      return meant === undefined ? [] : [`${name} is not a setting and has no effect: do you mean ${meant}?`];
    });
}

function isNear(name: string, setting: string): boolean {
  const written = name.toUpperCase().replaceAll('-', '_');
  if (written === setting) return true;
  if (Math.min(written.length, setting.length) < SHORTEST) return false;
  return distance(written, setting) <= (setting.length < LONG ? 2 : 3);
}
