/**
 * Bundles the service with its packages into dist/bundle/service.js, which dist/main.js starts where it is there: Node then
 * reads one file instead of three thousand, and starts in half the time. Packages that are not installed, and those that
 * are loaded only when a setting asks for them, stay outside. See docs/adr/0017-the-service-starts-from-a-bundle.md.
 */
import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const ON_DEMAND = /^(@opentelemetry|@aws-sdk|@azure|@google-cloud)\//;

/** Files whose own `require` hides from the bundler what they load. */
const HIDES_ITS_REQUIRES = /@nestjs[\\/]mapped-types[\\/]dist[\\/]type-helpers\.utils\.js$/;
const OWN_REQUIRE = /^const require = createRequire\(import\.meta\.url\);$/m;

const BANNER = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);`;

/** @param {string} root the checkout, with its dist */
export async function bundle(root) {
  const target = join(root, 'dist/bundle/service.js');
  const { outputFiles } = await build({
    ...bundling,
    absWorkingDir: root,
    entryPoints: [join(root, 'dist/cli/index.js')],
    outfile: target,
    write: false,
  });
  const [{ text }] = outputFiles;
  const contents = Buffer.from(asAscii(text), 'latin1');
  // An unchanged bundle keeps the compiled code that Node has cached beside it.
  if (existsSync(target) && readFileSync(target).equals(contents)) return;
  rmSync(dirname(target), { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, contents);
}

/** One character that is not Latin-1 would make Node keep two bytes for each of ten million; regular expressions have some. */
function asAscii(text) {
  return text.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const SEEN = Symbol('seen');

const asNodeLoadsThem = {
  name: 'as Node loads them',
  setup({ onLoad, onResolve, resolve }) {
    onLoad({ filter: HIDES_ITS_REQUIRES }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!OWN_REQUIRE.test(text))
        throw new Error(`${path} no longer makes its own require: look at scripts/bundle.js`);
      return { contents: text.replace(OWN_REQUIRE, ''), loader: 'js' };
    });
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === SEEN || path.startsWith('node:')) return undefined;
      if (ON_DEMAND.test(path)) return { path, external: true };
      // GraphQL must be there once: its types are compared by identity.
      const asImport = /^graphql(\/|$)/.test(path) ? 'import-statement' : kind;
      const found = await resolve(path, { kind: asImport, importer, resolveDir, pluginData: SEEN });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** How packages of Node are bundled so that they do as they did before. The tests bundle them likewise. */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  keepNames: true,
  legalComments: 'none',
  banner: { js: BANNER },
  plugins: [asNodeLoadsThem],
  logLevel: 'warning',
};
