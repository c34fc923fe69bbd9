import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const LIBRARY = 'packages/portico';
const SOURCES = ['src/**/*.ts', `${LIBRARY}/src/**/*.ts`];
const PAGES = ['src/**/page/*.js'];

/** In lines: what counts as small, and what a file may have after a merge. */
const SMALL = 30;
const LARGEST_MERGED = 220;
/** In characters, with the indentation. */
const LONGEST_COMMENT = 118;
/** Names that can be checked out on every system. */
const PORTABLE_NAME = /^[\w@.-]+$/;

export interface SourceFile {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly lines: number;
  /** Lines that hold more than white space and comments. */
  readonly codeLines: number;
  /** How many of those belong to import declarations. */
  readonly importLines: number;
  /** Lines that hold a comment alone and are too long. */
  readonly longComments: number;
  /** What it imports and re-exports, types and dynamic imports included. */
  readonly specifiers: readonly string[];
}

export interface SourceFigures {
  readonly files: number;
  readonly folders: number;
  readonly codeLines: number;
  readonly importLines: number;
  readonly medianLines: number;
  readonly longest: { readonly path: string; readonly lines: number };
  readonly smallFiles: number;
  readonly withOneImporter: number;
  /** Files with one importer that would fit into it, with the importer's other helpers left where they are. */
  readonly mergeable: number;
  readonly longComments: number;
  /** Scripts of the console's page: no TypeScript, so not among the files. */
  readonly pageScripts: number;
  readonly adrs: number;
  readonly longestAdr: { readonly path: string; readonly words: number };
  readonly strayNames: readonly string[];
}

/** Counts the TypeScript sources of the service and of the library in a checkout, and what surrounds them. */
export function countSources(root: string): SourceFigures {
  const files = filesOf(root, SOURCES)
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
  const bySize = files.toSorted((a, b) => a.lines - b.lines);
  const sum = (count: (file: SourceFile) => number): number =>
    files.reduce((total, file) => total + count(file), 0);
  const [longestAdr = { path: '', words: 0 }, ...adrs] = adrsOf(root);
  return {
    files: files.length,
    folders: new Set(files.map(({ path }) => dirname(path))).size,
    codeLines: sum((file) => file.codeLines),
    importLines: sum((file) => file.importLines),
    medianLines: bySize[Math.floor(files.length / 2)]?.lines ?? 0,
    longest: { path: bySize.at(-1)?.path ?? '', lines: bySize.at(-1)?.lines ?? 0 },
    smallFiles: files.filter(({ lines }) => lines <= SMALL).length,
    ...countImporters(files, doorsOf(root)),
    longComments: sum((file) => file.longComments),
    pageScripts: filesOf(root, PAGES).length,
    adrs: longestAdr.path === '' ? 0 : 1 + adrs.length,
    longestAdr,
    strayNames: readdirSync(root).filter((name) => !PORTABLE_NAME.test(name)),
  };
}

function filesOf(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** What one source file has, by the compiler's own tokens. */
export function readSource(path: string, text: string): SourceFile {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const [code, imports] = [new Set<number>(), new Set<number>()];
  const specifiers: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    if (ts.isImportDeclaration(node)) addLines(node, imports);
    if (ts.isStringLiteral(node) && isSpecifier(node.parent)) specifiers.push(node.text);
    const children = node.getChildren(file);
    if (children.length === 0 && node.getWidth(file) > 0) addLines(node, code);
    children.forEach(visit);
  };
  visit(file);
  const lines = text.replace(/\n$/, '').split('\n');
  return {
    path,
    lines: lines.length,
    codeLines: code.size,
    importLines: imports.size,
    longComments: lines.filter((line, index) => line.length > LONGEST_COMMENT && !code.has(index)).length,
    specifiers,
  };
}

function addLines(node: ts.Node, lines: Set<number>): void {
  const file = node.getSourceFile();
  const { line: first } = file.getLineAndCharacterOfPosition(node.getStart(file));
  const { line: last } = file.getLineAndCharacterOfPosition(node.getEnd());
  for (let line = first; line <= last; line++) lines.add(line);
}

function isSpecifier(parent: ts.Node): boolean {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isCallExpression(parent)) return parent.expression.kind === ts.SyntaxKind.ImportKeyword;
  return ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
}

/** The library's entries by the names under which the service imports them. */
function doorsOf(root: string): ReadonlyMap<string, string> {
  const manifest = join(root, LIBRARY, 'package.json');
  if (!existsSync(manifest)) return new Map();
  const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    name: string;
    exports?: Record<string, string | { default?: string; import?: string }>;
  };
  return new Map(
    Object.entries(exports).map(([door, target]) => {
      const built = typeof target === 'string' ? target : (target.default ?? target.import ?? '');
      return [door.replace('.', name), join(LIBRARY, built.replace('dist/', 'src/').replace(/\.js$/, '.ts'))];
    }),
  );
}

/** How many files have exactly one importer, and how many of them would fit into it. */
function countImporters(
  files: readonly SourceFile[],
  doors: ReadonlyMap<string, string>,
): Pick<SourceFigures, 'withOneImporter' | 'mergeable'> {
  const importers = new Map(files.map((file) => [file.path, new Set<SourceFile>()]));
  for (const file of files) {
    for (const specifier of file.specifiers) {
      const path = specifier.startsWith('.')
        ? join(dirname(file.path), specifier).replace(/\.js$/, '.ts')
        : (doors.get(specifier) ?? '');
      importers.get(path)?.add(file);
    }
  }
  const merged = files.flatMap((file) => {
    const [importer, ...others] = importers.get(file.path) ?? [];
    if (importer === undefined || others.length > 0) return [];
    return [importer.lines + file.lines - file.importLines];
  });
  return {
    withOneImporter: merged.length,
    mergeable: merged.filter((lines) => lines <= LARGEST_MERGED).length,
  };
}

function adrsOf(root: string): { path: string; words: number }[] {
  return filesOf(root, ['docs/adr/[0-9]*.md'])
    .map((path) => ({ path, words: readFileSync(join(root, path), 'utf8').trim().split(/\s+/).length }))
    .sort((a, b) => b.words - a.words);
}
