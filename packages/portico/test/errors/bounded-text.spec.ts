import { describe, expect, it } from 'vitest';
import { boundedText } from '../../src/errors/bounded-text.js';

describe('a text of the platform', () => {
  it.each([
    ['line breaks and control characters', 'one\r\n\u0000two\u001b[31m', 'one two [31m'],
    ['line and paragraph separators', 'one\u2028two\u2029three', 'one two three'],
    ['marks that turn the direction', 'ok\u202egnp.exe\u202c \u2066x\u2069\u200f', 'okgnp.exe x'],
    ['invisible characters', 'a\u200bb\u00adc\ufeffd\u2060e\u034ff', 'abcdef'],
    ['invisible tags', 'safe\u{e0041}\u{e0042}', 'safe'],
    ['lone surrogates', 'a\ud800b\udc00c', 'abc'],
  ])('loses %s', (_what, text, safe) => {
    expect(boundedText(text, [])).toBe(safe);
  });

  it('keeps letters of any language and pairs of surrogates', () => {
    expect(boundedText('Ошибка: 日本語 العربية 🎉', [])).toBe('Ошибка: 日本語 العربية 🎉');
  });

  it('is cut at 512 characters, and never within a pair of surrogates', () => {
    expect(boundedText('x'.repeat(5000), [])).toHaveLength(512);
    expect(boundedText(`${'x'.repeat(511)}🎉`, [])).toBe('x'.repeat(511));
  });

  it('does not show a secret that invisible characters have split', () => {
    expect(boundedText('token ab\u200bcd\u202eef', ['abcdef'])).not.toContain('abcdef');
  });
});
