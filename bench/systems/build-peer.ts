import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import ts from 'typescript';

/** Inside node_modules, so that what is built finds the packages of the repository. */
const BUILT = new URL('../../node_modules/.cache/portico-bench/', import.meta.url).pathname;

/** Compiles a peer of one file, and gives the path: Node strips types at start, which would count, and knows no decorators. */
export async function buildPeer(path: string): Promise<string> {
  const { outputText } = ts.transpileModule(await readFile(path, 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      verbatimModuleSyntax: true,
    },
  });
  await mkdir(BUILT, { recursive: true });
  const built = join(BUILT, basename(path).replace(/\.ts$/, '.mjs'));
  await writeFile(built, outputText);
  return built;
}
