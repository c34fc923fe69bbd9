const SHORTEST_SECRET = 4;

/** Longer texts are cut before the search, so a hostile platform cannot make it slow. */
const SEARCHED = 32 * 1024;
const WITHHELD = 'The text was withheld.';

/**
 * Makes platform text safe for an error or a log: control characters become spaces, the length is capped (in characters), and
 * secrets are redacted, because a hostile or careless platform may echo them.
 */
export function boundedText(text: string, limit: number, secrets: readonly string[]): string {
  const candidates = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const redacted = candidates.reduce(
    (safe, secret) => safe.replaceAll(secret, '***'),
    text.slice(0, SEARCHED),
  );
  // The cut may have split a secret.
  const whole = text.length > SEARCHED ? redacted.slice(0, -(candidates[0]?.length ?? 1)) : redacted;
  if (whole === '' && text !== '') return WITHHELD;
  const bounded = whole
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, limit)
    .trim();
  return containsSecret(bounded, secrets) ? WITHHELD : bounded;
}

/** Whether a text contains any of the secrets; those under four characters are too common to search for. */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SHORTEST_SECRET && text.includes(secret));
}
