import { isUtf8 } from 'node:buffer';

/** Byte order marks; each is a stronger sign than a label. */
const MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['\xEF\xBB\xBF', 'utf-8'],
  ['\xFF\xFE', 'utf-16le'],
  ['\xFE\xFF', 'utf-16be'],
];

/**
 * The text of a body by its byte order mark, else by the `charset` of its content type, else as UTF-8. A charset that is not
 * known counts as none: JSON is UTF-8 whatever its label says (RFC 8259, 8.1), and other bytes than UTF-8 are noticed.
 * @returns undefined when the bytes are not text in that charset: never text with replacement characters
 */
export function bodyText(body: Buffer, contentType: string | undefined): string | undefined {
  const charset = markedCharset(body) ?? labeledCharset(contentType, body);
  if (charset === 'utf-8') {
    if (!isUtf8(body)) return undefined;
    const text = body.toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function markedCharset(body: Buffer): string | undefined {
  const first = body[0] ?? 0;
  if (first < 0xef) return undefined;
  const start = body.toString('latin1', 0, 3);
  return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
}

function labeledCharset(contentType: string | undefined, body: Buffer): string {
  const label = /;\s*charset\s*=[\s"']*([^\s"';,]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (label === undefined || !isKnown(label)) return 'utf-8';
  // JSON starts with an ASCII character, so a zero byte before it shows the byte order that the label leaves open.
  if (label === 'utf-16' && body[0] === 0) return 'utf-16be';
  return label === 'utf8' ? 'utf-8' : label;
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
