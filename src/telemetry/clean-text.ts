/** Characters that are invisible or change how others look: controls, bidi marks, invisible letters, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const REPLACEMENT = '\ufffd';
const LONGEST = 128;

/**
 * Makes a caller's text safe for a line that people read: invisible characters become U+FFFD, and the text is cut at 128
 * characters.
 */
export function cleanText(text: string): string {
  // Cut first, so that no more is cleaned than is kept.
  const kept = Array.from(text.slice(0, 2 * LONGEST + 2)).slice(0, LONGEST + 1);
  const cleaned = kept.slice(0, LONGEST).join('').replaceAll(UNSEEN, REPLACEMENT);
  return kept.length > LONGEST ? `${cleaned}…` : cleaned;
}
