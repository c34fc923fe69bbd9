import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decidingSettings, differences } from '../../../src/session/store/store-backend.js';

const SETTINGS = {
  SESSION_IDLE_SECONDS: 3600,
  SESSION_MAX_SECONDS: 43_200,
  PLATFORM_BASE_URL: 'https://one.example/api',
  PLATFORM_HEADER_VENDOR: 'SVC',
};

describe('the settings by which instances treat sessions', () => {
  it('are told with the layout, each by its fingerprint', () => {
    const told = Object.entries(SETTINGS).map(
      ([name, value]) => `${name}=${createHash('sha256').update(String(value)).digest('hex').slice(0, 8)}`,
    );
    expect(decidingSettings(SETTINGS)).toBe(['layout=1', ...told].join(' '));
  });

  it('differ by name, also from an instance that says less; not from one that says nothing', () => {
    expect(differences('layout=1 A=1 B=2 C=3', 'layout=1 A=1 B=3')).toEqual(['B', 'C']);
    expect(differences('layout=1 A=1', 'layout=1 A=1 B=2')).toEqual([]);
    expect(differences('layout=1 A=1', '')).toEqual([]);
  });
});
