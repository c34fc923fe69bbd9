import { join } from 'node:path';
import { bundledFiles, bundleFolder, ROOT } from './bundled-packages.js';

const OURS = [join(ROOT, 'src/'), join(ROOT, 'test/')];
const folder = bundleFolder();

/** Where jest finds a module: a bundled package in its bundle, where `src` or a test imports it. */
export default function resolve(path, options) {
  const isOurs =
    options.conditions?.includes('import') && OURS.some((start) => `${options.basedir}/`.startsWith(start));
  const file = isOurs ? bundledFiles.get(path) : undefined;
  return file === undefined ? options.defaultResolver(path, options) : join(folder, file);
}
