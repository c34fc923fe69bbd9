const SHORTEST_SECRET = 4;

/** Longer texts are cut before they are searched: what a hostile platform sends may not cost much time. */
const SEARCHED = 32 * 1024;
const WITHHELD = 'The text was withheld.';

/**
 * Platform text made fit for an error or a log: control characters become spaces, the length is capped (in characters),
 * and whatever the call sent in confidence is struck out, since a hostile or careless platform may echo it.
 */
export function boundedText(text: string, limit: number, secrets: readonly string[]): string {
  const sought = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const struck = sought.reduce((safe, secret) => safe.replaceAll(secret, '***'), text.slice(0, SEARCHED));
  // The cut may have gone through a secret.
  const whole = text.length > SEARCHED ? struck.slice(0, -(sought[0]?.length ?? 1)) : struck;
  if (whole === '' && text !== '') return WITHHELD;
  const bounded = whole
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, limit)
    .trim();
  return holdsASecret(bounded, secrets) ? WITHHELD : bounded;
}

/** Whether a text holds any of the secrets; those under four characters are too common to be looked for. */
export function holdsASecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SHORTEST_SECRET && text.includes(secret));
}
