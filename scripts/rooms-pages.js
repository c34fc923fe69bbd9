import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { drawing } from './rooms.ts';

const ROOMS = createRequire(import.meta.url)('../.dependency-rooms.cjs');
const PLACE = /(?<=<!-- rooms drawing: [^\n]*-->\n).*?(?=<!-- end -->)/s;

/** A page with its drawing of the rooms made anew. */
export async function pageWithRooms(path) {
  const page = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  if (!PLACE.test(page)) throw new Error(`${path} has no place for the drawing of the rooms.`);
  return page.replace(PLACE, `\n${drawing(ROOMS)}\n\n`);
}
