import { execFile, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A project of its own that has installed packages from their tarballs. */
export interface PackedPackage {
  readonly folder: string;
  /** Every package that the install brought, the packed ones among them. */
  readonly packages: readonly string[];
  /** What the install takes on the disk. */
  readonly bytes: number;
  remove(): void;
}

/**
 * Packs packages as they were built, and has npm install the tarballs together in a project of its own.
 *
 * @param folders of the packages.
 * @param linked packages that the project has beside them, as links to those of the checkout.
 */
export async function installPacked(
  folders: readonly string[] = ['packages/portico'],
  linked: readonly string[] = [],
): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-packed-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const tarballs = [];
  for (const each of folders) tarballs.push(await pack(join(process.cwd(), each), folder));
  await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs);
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const bytes = bytesOnDisk(modules);
  for (const name of linked) linkInto(modules, name);
  return {
    folder,
    packages: Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')),
    bytes,
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/** The tarball, as `npm install` takes it. npm 11 reports an array, npm 12 an object by names. */
async function pack(source: string, destination: string): Promise<string> {
  const report = await npm(source, 'pack', '--json', '--ignore-scripts', '--pack-destination', destination);
  const [{ filename }] = Object.values(JSON.parse(report) as object) as [{ filename: string }];
  return `./${filename}`;
}

/** Compiles a program in a folder as strictly as TypeScript can, and returns what it had to say. */
export function compile(
  folder: string,
  program: string,
  module: string,
  resolution: string,
  more: readonly string[] = [],
): string {
  writeFileSync(join(folder, 'program.ts'), program);
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const flags = [
    '--strict',
    '--noEmit',
    '--target',
    'es2023',
    '--lib',
    'es2023,esnext.disposable',
    '--types',
    'node',
  ];
  const options = ['--module', module, '--moduleResolution', resolution, ...more.map((flag) => `--${flag}`)];
  const args = [tsc, ...flags, ...options, 'program.ts'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
}

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', [...args, '--loglevel=error'], { cwd });
  return stdout;
}

/** As `du` counts: whole blocks. */
function bytesOnDisk(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.reduce(
    (sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * 512,
    0,
  );
}

function linkInto(modules: string, name: string): void {
  const link = join(modules, name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(packageFolder(name), link);
}

function packageFolder(name: string): string {
  const { resolve } = createRequire(join(process.cwd(), 'package.json'));
  const paths = resolve.paths(name) ?? [];
  const found = paths.map((path) => join(path, name)).find(isPackage);
  if (found === undefined) throw new Error(`${name} is not installed.`);
  return found;
}

function isPackage(folder: string): boolean {
  try {
    readFileSync(join(folder, 'package.json'));
    return true;
  } catch {
    return false;
  }
}
