/**
 * Lays the console into public/console, from where it is served: each file under a name that has the hash of its content,
 * compressed twice, so that the service only reads and sends, and a browser never asks again.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const PAGE = 'index.html';
const LIST = 'assets.json';
const HASH_LENGTH = 10;

/** The libraries come from here and from no other host. */
const LIBRARIES = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];

const root = fileURLToPath(new URL('..', import.meta.url));
layConsole(join(root, 'src/console/page'), join(root, 'public/console'));

/** @param source the page as it is written. @param target where the result belongs. */
function layConsole(source, target) {
  mkdirSync(target, { recursive: true });
  const contents = new Map([
    ...readdirSync(source).map((name) => [name, readFileSync(join(source, name), 'utf8')]),
    ...LIBRARIES.map((path) => [
      basename(path),
      withoutExtras(readFileSync(join(root, 'node_modules', path), 'utf8')),
    ]),
  ]);
  const page = contents.get(PAGE);
  contents.delete(PAGE);
  const assets = hashedAssets(contents);
  const kept = [PAGE, LIST, ...[...assets.values()].flatMap(({ name }) => [`${name}.br`, `${name}.gz`])];
  for (const entry of readdirSync(target)) if (!kept.includes(entry)) rmSync(join(target, entry));
  for (const asset of assets.values()) writeCompressed(target, asset);
  writeFileSync(join(target, PAGE), withHashedNames(page, assets));
  writeFileSync(join(target, LIST), JSON.stringify([...assets.values()].map(({ name }) => name)));
}

/**
 * Two thirds of GraphiQL's style sheet are fonts in base64; the page uses those of the system. The source maps are not
 * served.
 */
function withoutExtras(content) {
  return content.replace(/@font-face\s*\{[^}]*\}/g, '').replace(/^\/[/*]# sourceMappingURL=.*$/gm, '');
}

/** By the name that each has in the source. A module's hash covers the names, hence the content, of what it imports. */
function hashedAssets(contents) {
  const assets = new Map();
  const add = (name) => {
    const known = assets.get(name);
    if (known !== undefined) return known;
    if (!contents.has(name)) throw new Error(`The console has no ${name}`);
    const content = contents
      .get(name)
      .replace(/(?<=(?:from|import) ')\.\/([\w.-]+)(?=')/g, (_all, imported) => `./${add(imported).name}`);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH);
    const ending = extname(name);
    const asset = { name: `${basename(name, ending)}.${hash}${ending}`, content };
    assets.set(name, asset);
    return asset;
  };
  for (const name of contents.keys()) add(name);
  return assets;
}

/** Compressing takes seconds, and a name stands for its content: what is there already stays. */
function writeCompressed(target, { name, content }) {
  const bytes = Buffer.from(content);
  const [brotli, gzip] = [join(target, `${name}.br`), join(target, `${name}.gz`)];
  if (!existsSync(brotli)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(brotli, brotliCompressSync(bytes, { params }));
  }
  if (!existsSync(gzip)) writeFileSync(gzip, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** The page, with every module named, so that a browser loads them together and not one after another. */
function withHashedNames(page, assets) {
  const named = page.replace(/(?<="\/console\/)[\w.-]+(?=")/g, (name) => assets.get(name)?.name ?? name);
  const preloads = [...named.matchAll(/<script type="module" src="([^"]+)"/g)].map(([, entry]) => entry);
  const modules = [...assets]
    .filter(([, { name, content }]) => /^export /m.test(content) && !preloads.includes(`/console/${name}`))
    .map(([, { name }]) => `    <link rel="modulepreload" href="/console/${name}" />\n`);
  return named.replace('  </head>', `${modules.join('')}  </head>`);
}
