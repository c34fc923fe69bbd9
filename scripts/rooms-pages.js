import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { drawing, roomTable } from './rooms.ts';

const ROOMS = createRequire(import.meta.url)('../.dependency-rooms.cjs');

/** A page with what stands between its markers made anew from the table of rooms. */
export async function pageWithRooms(path) {
  const page = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  return [
    ['drawing', drawing(ROOMS)],
    ['table', roomTable(ROOMS)],
  ].reduce((text, [name, content]) => {
    const between = new RegExp(`(<!-- rooms ${name}: .* -->\\n).*?(<!-- end -->)`, 's');
    return text.replace(between, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
  }, page);
}
