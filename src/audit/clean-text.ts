/** Characters that do not show, or change how others show: controls, bidi marks, invisible letters, halves of pairs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const REPLACEMENT = '\ufffd';
const LONGEST = 128;

/**
 * A text that a caller made up, so that it can stand in a line that people read: what does not show becomes U+FFFD, and what
 * goes beyond 128 characters is cut off.
 */
export function cleanText(text: string): string {
  // Cut first: what is cleaned is never longer than what is kept.
  const kept = Array.from(text.slice(0, 2 * LONGEST + 2)).slice(0, LONGEST + 1);
  const cleaned = kept.slice(0, LONGEST).join('').replaceAll(UNSEEN, REPLACEMENT);
  return kept.length > LONGEST ? `${cleaned}…` : cleaned;
}
