import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What knows each other by identity, and so has to be in one file: Nest in the order in which it loads. */
const TOGETHER = [
  'reflect-metadata',
  'rxjs',
  'class-transformer',
  'class-validator',
  'graphql',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/mapped-types',
  '@nestjs/config',
  'pino',
  'fastify',
  '@fastify/cors',
  '@nestjs/platform-fastify',
  '@apollo/server',
  '@apollo/server/errors',
  '@apollo/server/plugin/disabled',
  '@apollo/subgraph',
  '@as-integrations/fastify',
  '@nestjs/graphql',
  '@nestjs/apollo',
  '@nestjs/terminus',
  'graphql-jit',
  'graphql-scalars',
];
const ALONE = [
  'cockatiel',
  'got',
  'ioredis',
  'prom-client',
  'rate-limiter-flexible',
  'tough-cookie',
  'undici',
  'yaml',
];
const SOURCES = ['package-lock.json', 'scripts/bundle.js', 'test/support/packages/bundled-packages.js'];

/** Where the bundles of the packages are, as these are installed now. */
export function bundleFolder() {
  const hash = createHash('sha256').update(process.version);
  for (const path of SOURCES) hash.update(readFileSync(join(ROOT, path)));
  return join(ROOT, 'node_modules/.cache/test-packages', hash.digest('hex').slice(0, 16));
}

/** The files that stand for packages, in the folder of the bundles. */
export const bundledFiles = new Map(
  [...TOGETHER, ...ALONE].map((name) => [name, `${name.replaceAll('/', '__')}.js`]),
);

/** Bundles the packages that stand on hundreds of files, unless that has been done. Jest calls it once, before the tests. */
export default async function bundlePackages() {
  const folder = bundleFolder();
  if (existsSync(folder)) return;
  rmSync(dirname(folder), { recursive: true, force: true });
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const together = TOGETHER.map((name, at) => `export * as p${at} from 'named:${name}';`).join('\n');
  await bundle(join(making, 'together.js'), together);
  for (const [at, name] of TOGETHER.entries()) {
    const { names, hasDefault } = await exportsOf(name);
    const lines = [
      `import { p${at} } from './together.js';`,
      `export const { ${names.join(', ')} } = p${at};`,
    ];
    if (hasDefault) lines.push(`export default p${at}.default;`);
    writeFileSync(join(making, bundledFiles.get(name)), lines.join('\n'));
  }
  for (const name of ALONE) await bundle(join(making, bundledFiles.get(name)), await namedExports(name));
  renameSync(making, folder);
}

async function bundle(outfile, contents) {
  const { build } = await import('esbuild');
  const { bundling } = await import('../../../scripts/bundle.js');
  const stdin = { contents, resolveDir: ROOT };
  const { plugins } = bundling;
  await build({ ...bundling, absWorkingDir: ROOT, stdin, outfile, plugins: [withNames, ...plugins] });
}

/** What a package exports: of one in CommonJS that is known only when it is loaded. */
async function exportsOf(name) {
  const names = Object.keys(await import(name)).filter((each) => /^[\w$]+$/.test(each));
  return { names: names.filter((each) => each !== 'default'), hasDefault: names.includes('default') };
}

async function namedExports(name) {
  const { names, hasDefault } = await exportsOf(name);
  const all = hasDefault ? [...names, 'default'] : names;
  return all.length > 0 ? `export { ${all.join(', ')} } from '${name}';` : `import '${name}';`;
}

const withNames = {
  name: 'packages with the names of their exports',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^named:/ }, ({ path }) => ({
      path: path.slice('named:'.length),
      namespace: 'named',
    }));
    onLoad({ filter: /./, namespace: 'named' }, async ({ path }) => ({
      contents: await namedExports(path),
      resolveDir: ROOT,
    }));
  },
};
