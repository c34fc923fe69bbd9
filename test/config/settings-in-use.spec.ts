import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { settingDescriptions } from '../../src/config/setting.js';
import '../../src/config/settings.js';

describe('settings', () => {
  it('have an effect, each of them: something reads it', async () => {
    const read: string[] = [];
    for await (const path of glob('src/**/*.ts')) {
      // To look into a file is not to use it.
      if (path === 'src/app/problems-in-files.ts') continue;
      const text = await readFile(path, 'utf8');
      // Not the declarations and the options, which name every setting.
      const isConfig = path.startsWith('src/config/');
      read.push(
        isConfig ? (text.match(/\.[A-Z][A-Z_]+\b|\{[^}\n]*\b[A-Z_]+:[^}\n]*\}/g) ?? []).join() : text,
      );
    }
    const used = new Set(read.join().match(/\b[A-Z][A-Z_]+\b/g));
    const unread = settingDescriptions().flatMap(({ name }) => (used.has(name) ? [] : [name]));
    // Its only effect is its check: there is one protocol.
    expect(unread, 'nothing reads them').toEqual(['OTEL_EXPORTER_OTLP_PROTOCOL']);
  });
});
