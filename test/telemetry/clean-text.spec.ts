import { describe, expect, it } from 'vitest';
import { cleanText } from '../../src/telemetry/audit.module.js';

describe('a text of a caller in the audit log', () => {
  it.each([
    ['a plain name', 'maria.garcía@example.org', 'maria.garcía@example.org'],
    ['other scripts', '田中太郎 Ünal', '田中太郎 Ünal'],
    ['a line that would be forged', 'bob\r\n{"audit":1}', 'bob\ufffd\ufffd{"audit":1}'],
    ['a terminal sequence', 'bob\u001b[2J', 'bob\ufffd[2J'],
    ['text that would be turned around', 'bob\u202egro.elpmaxe', 'bob\ufffdgro.elpmaxe'],
    ['what does not show', 'b\u200bo\u00adb\ufeff\u3164\u2800', 'b\ufffdo\ufffdb\ufffd\ufffd\ufffd'],
    ['hidden letters beyond the first plane', 'bob\u{e0041}', 'bob\ufffd'],
    ['half of a pair', 'bob\ud83d', 'bob\ufffd'],
  ])('keeps or replaces %s', (_title, given, kept) => {
    expect(cleanText(given)).toBe(kept);
  });

  it('is cut off at 128 characters, not in the middle of one', () => {
    expect(cleanText('𝒳'.repeat(128))).toBe('𝒳'.repeat(128));
    expect(cleanText('𝒳'.repeat(129))).toBe(`${'𝒳'.repeat(128)}…`);
    expect(cleanText('x'.repeat(1_000_000))).toBe(`${'x'.repeat(128)}…`);
  });
});
