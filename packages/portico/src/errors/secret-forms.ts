/**
 * The forms in which a careless platform may echo a secret: verbatim, escaped for JSON or a URL, and in base64, including the
 * base64 of a longer text such as `user:password`.
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
