const SHORTEST_SECRET = 4;

/** Longer texts are cut before the search, so a hostile platform cannot make it slow. */
const SEARCHED = 32 * 1024;
const WITHHELD = 'The text was withheld.';

/** In characters: enough for any message of the platform. */
const LIMIT = 512;
/** Line and paragraph breaks, and all that terminals and editors act on: each run becomes a space. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Invisible characters, characters that change the text direction, and lone surrogates: removed. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}]+/gu;

/**
 * Makes platform text safe for an error or a log: control characters become spaces, invisible and bidirectional ones
 * are removed, the length is capped at 512 characters, and secrets are redacted, because a hostile or careless
 * platform may echo them.
 */
export function boundedText(text: string, secrets: readonly string[]): string {
  const candidates = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const withoutSecrets = (given: string): string =>
    candidates.reduce((safe, secret) => safe.replaceAll(secret, '***'), given);
  const redacted = withoutSecrets(text.slice(0, SEARCHED));
  // The cut may have split a secret.
  const whole = text.length > SEARCHED ? redacted.slice(0, -(candidates[0]?.length ?? 1)) : redacted;
  if (whole === '' && text !== '') return WITHHELD;
  // Invisible characters may have split a secret.
  const readable = withoutSecrets(whole.replace(CONTROL, ' ').replace(INVISIBLE, ''));
  const bounded = readable
    .slice(0, LIMIT)
    .replace(/\p{Cs}$/u, '')
    .trim();
  return containsSecret(bounded, secrets) ? WITHHELD : bounded;
}

/** Whether a text contains any of the secrets; those under four characters are too common to search for. */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SHORTEST_SECRET && text.includes(secret));
}

/**
 * The forms in which a careless platform may echo a secret: verbatim, escaped for JSON or a URL, and in base64,
 * including the base64 of a longer text such as `user:password`.
 */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    const url = encodeURIComponent(bytes.toString());
    const form = new URLSearchParams({ '': secret }).toString().slice(1);
    const json = JSON.stringify(secret).slice(1, -1);
    for (const each of [secret, json, url, lowerEscapes(url), form, lowerEscapes(form)]) forms.add(each);
    for (const bytesBefore of [0, 1, 2]) {
      const base64 = withinBase64(bytes, bytesBefore);
      forms.add(base64);
      forms.add(base64.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return [...forms];
}

function lowerEscapes(text: string): string {
  return text.replace(/%../g, (escape) => escape.toLowerCase());
}

/** The base64 characters that depend on the secret alone when this many bytes, modulo three, precede it. */
function withinBase64(secret: Buffer, bytesBefore: number): string {
  const bits = (bytesBefore + secret.byteLength) * 8;
  const base64 = Buffer.concat([Buffer.alloc(bytesBefore), secret]).toString('base64');
  return base64.slice(Math.ceil((bytesBefore * 8) / 6), Math.floor(bits / 6));
}

/** How many names a message lists. */
const MOST_LISTED = 10;

/** The first of a list of texts of the platform, of which there may be thousands. */
export function someOf(texts: readonly string[]): string {
  const some = boundedText(texts.slice(0, MOST_LISTED).join(', '), []);
  return texts.length > MOST_LISTED ? `${some} and ${texts.length - MOST_LISTED} more` : some;
}
