const SHORTEST_SECRET = 4;
const WITHHELD = 'The text was withheld.';

/**
 * Platform text made fit for an error or a log: control characters become spaces, the length is capped (in characters),
 * and whatever the call sent in confidence is struck out, since a hostile or careless platform may echo it.
 */
export function boundedText(text: string, limit: number, secrets: readonly string[]): string {
  const struck = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((safe, secret) => safe.replaceAll(secret, '***'), text);
  const bounded = struck
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, limit)
    .trim();
  return holdsASecret(bounded, secrets) ? WITHHELD : bounded;
}

/** Whether a text holds any of the secrets; those under four characters are too common to be looked for. */
export function holdsASecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SHORTEST_SECRET && text.includes(secret));
}
