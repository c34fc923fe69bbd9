import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
/** Best first, with the ending of the file that the build has compressed. */
const ENCODINGS = [
  ['br', 'br'],
  ['gzip', 'gz'],
] as const;

/** One file of the console, as it is sent. */
export interface Asset {
  readonly type: string;
  /** Undefined if the caller accepts no compressed answer. */
  readonly encoding: string | undefined;
  readonly content: Buffer;
}

/**
 * The files that `scripts/console-assets.js` has put into a folder. No other file is read, even if the path names
 * one.
 */
export class Assets {
  #names: Promise<readonly string[]> | undefined;

  readonly #folder: URL;

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** The page itself, before the settings of the service are in it. */
  page(): Promise<string> {
    return readFile(new URL('index.html', this.#folder), 'utf8');
  }

  /** @param acceptEncoding the header of that name. @returns undefined if there is no such file. */
  async asset(name: string, acceptEncoding: string | undefined): Promise<Asset | undefined> {
    this.#names ??= readFile(new URL('assets.json', this.#folder), 'utf8').then(
      (list) => JSON.parse(list) as readonly string[],
    );
    if (!(await this.#names).includes(name)) return undefined;
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    const encoding = ENCODINGS.find(([coding]) => accepts(acceptEncoding, coding));
    const content = await readFile(new URL(`${name}.${encoding?.[1] ?? 'gz'}`, this.#folder));
    if (encoding === undefined) return { type, encoding, content: await promisify(gunzip)(content) };
    return { type, encoding: encoding[0], content };
  }
}

/** RFC 9110, 12.5.3: what is not named is not accepted, unless `*` is; a weight of zero refuses. */
function accepts(header: string | undefined, coding: string): boolean {
  const weights = new Map<string, boolean>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    weights.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return weights.get(coding) ?? weights.get('*') ?? false;
}
