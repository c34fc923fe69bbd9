import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';

/** The page that holds the figures. */
const PAGE = new URL('../../docs/performance.md', import.meta.url).pathname;

/** Replaces what stands between the comments `<!-- NAME -->` and `<!-- /NAME -->` of a text. */
export function replaceBetween(text: string, name: string, content: string): string {
  const open = `<!-- ${name} -->`;
  const start = text.indexOf(open);
  const end = text.indexOf(`<!-- /${name} -->`, start);
  if (start === -1 || end === -1) throw new Error(`There is no part ${open} to replace`);
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** Puts figures into docs/performance.md, formatted as the rest. */
export async function writeToPage(name: string, content: string): Promise<void> {
  const text = replaceBetween(await readFile(PAGE, 'utf8'), name, content);
  await writeFile(PAGE, await format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' }));
}
