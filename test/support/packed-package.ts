import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder in which the package is installed as a user would have it, with some of its dependencies and no other. */
export interface PackedPackage {
  readonly folder: string;
  remove(): void;
}

/** Packs the package as it was built and lays it out beside links to the given dependencies. */
export function installPacked(dependencies: readonly string[]): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), 'portico-packed-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
  cpSync(join(folder, 'package'), join(modules, 'portico'), { recursive: true });
  for (const dependency of dependencies) {
    const link = join(modules, dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(packageFolder(dependency), link);
  }
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
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
