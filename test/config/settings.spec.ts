import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/config/parse-settings.js';
import { type Settings } from '../../src/config/settings.js';
import { version } from '../../src/config/version.js';

const settingsOf = (environment: Record<string, string>): Settings => checkSettings(environment).settings;
const BASE = { PLATFORM_BASE_URL: 'https://platform.example/api' };

describe('what follows from several settings', () => {
  it('is by which names the service may be called: by its own on loopback, by any elsewhere', () => {
    const onLoopback = settingsOf({ HOST: '127.0.0.1' });
    expect(['localhost', '[::1]', 'portico.example'].map((name) => onLoopback.allowsHost(name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(settingsOf({ HOST: '0.0.0.0' }).allowsHost('portico.example')).toBe(true);
  });

  it('is by which names the service may be called: by none but those that are listed', () => {
    const settings = settingsOf({ HOST: '127.0.0.1', ALLOWED_HOSTS: 'portico.example' });
    expect(['portico.example', 'localhost'].map((name) => settings.allowsHost(name))).toEqual([true, false]);
  });

  it.each([
    [{}, true],
    [{ GRAPHQL_INTROSPECTION: 'false' }, false],
    [{ PERSISTED_DOCUMENTS: '/documents' }, false],
    [{ GRAPHQL_INTROSPECTION: 'false', PERSISTED_DOCUMENTS: '/documents' }, false],
  ])('is whether there is a console: with %j, %s', (environment, expected) => {
    expect(settingsOf(environment).hasConsole).toBe(expected);
  });

  it.each([
    [{}, true, true],
    [BASE, false, false],
    [{ EMBEDDED_PLATFORM: 'off' }, false, false],
    [{ EMBEDDED_PLATFORM: 'on' }, true, true],
    [{ EMBEDDED_PLATFORM: 'on', ...BASE }, true, false],
  ])(
    'is whether the embedded platform runs, and whether it is used: with %j, %s and %s',
    (environment, runs, isUsed) => {
      const settings = settingsOf(environment);
      expect([settings.runsEmbeddedPlatform, settings.usesEmbeddedPlatform]).toEqual([runs, isUsed]);
    },
  );

  it.each([
    ['stdout', false],
    ['off', false],
    ['/var/log/audit.log', true],
  ])('is whether the audit log has a file: with %s, %s', (AUDIT_LOG, expected) => {
    expect(settingsOf({ AUDIT_LOG }).hasAuditFile).toBe(expected);
  });

  it('is what the names of a graph begin with', () => {
    expect(settingsOf({ FIELD_PREFIX: 'analytics', TYPE_PREFIX: 'Analytics' }).namePrefixes).toEqual({
      field: 'analytics',
      type: 'Analytics',
    });
  });
});

describe('the version', () => {
  it('is that of the package', () => {
    const text = readFileSync('package.json', 'utf8');
    expect(version()).toBe((JSON.parse(text) as { version: string }).version);
  });
});
