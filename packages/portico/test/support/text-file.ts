import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folders = new Set<string>();
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The path of a file that holds a text, in a folder of its own; removed after the test file. */
export function textFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-'));
  folders.add(folder);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
