import { readFile } from 'node:fs/promises';

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** All files of the console; nothing else is ever read, whatever the path says. */
const FILES = [
  'index.html',
  'console.css',
  'console.js',
  'graphiql.min.css',
  'graphiql.min.js',
  'react.production.min.js',
  'react-dom.production.min.js',
] as const;

/** One file of the console page. */
export interface ConsoleFile {
  readonly type: string;
  readonly content: Buffer;
}

/** A file of the console by name; undefined if there is none. */
export async function consoleFile(name: string): Promise<ConsoleFile | undefined> {
  const file = FILES.find((known) => known === name);
  if (file === undefined) return undefined;
  const ending = file.slice(file.lastIndexOf('.') + 1) as keyof typeof TYPES;
  return { type: TYPES[ending], content: await readFile(new URL(`../console/page/${file}`, import.meta.url)) };
}
