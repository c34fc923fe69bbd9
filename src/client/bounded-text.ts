const SHORTEST_SECRET = 4;

/**
 * Platform text made fit for an error or a log: control characters become spaces, the length is capped (in characters),
 * and whatever the call sent in confidence is struck out, since a hostile or careless platform may echo it.
 */
export function boundedText(text: string, limit: number, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) safe = safe.replaceAll(secret, '[redacted]');
  }
  return safe
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, limit)
    .trim();
}
