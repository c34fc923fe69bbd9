/**
 * Makes a release: tarballs of both packages, their components (CycloneDX), checksums and notes in release/<version>/, and the commit and tag of the version. Publishes nothing; docs/releasing.md says what comes after.
 *
 *   npm run release -- 0.2.0 --dry-run    makes everything in a temporary copy, prints it, and changes nothing
 *   npm run release -- --dry-run          the same for the next version
 *   npm run release -- 0.2.0
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  cutChangelog,
  nextVersion,
  notesOf,
  stepOfSchema,
  versionProblem,
  withVersion,
} from './release-plan.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const MANIFESTS = ['package.json', 'packages/portico/package.json', 'package-lock.json'];
const PACKAGES = [
  { name: 'portico', words: ['--workspace', 'packages/portico'] },
  { name: 'portico-service', words: [] },
];

/** What the packages bring: the service has the library among its components. */
const SBOM = 'sbom.cdx.json';
const SBOM_WORDS = 'sbom --sbom-format cyclonedx --sbom-type library --package-lock-only --omit dev'.split(
  ' ',
);

/** The pages that name the tarballs. */
const PAGES = ['README.md', 'docs/client.md'];

const run = (folder: string, command: string, ...words: string[]): string =>
  execFileSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  });
const git = (...words: string[]): string => run(root, 'git', ...words).trim();

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean' } },
  allowPositionals: true,
});
const [version] = positionals;
const isDry = values['dry-run'] === true;
try {
  await release(version, isDry);
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}

async function release(given: string | undefined, dry: boolean): Promise<void> {
  const last = lastRelease();
  const step =
    last === undefined
      ? 'patch'
      : await stepOfSchema(git('show', `v${last}:schema.gql`), read(root, 'schema.gql'));
  const next = given ?? (dry ? nextVersion(last ?? versionNow(), last === undefined ? undefined : step) : '');
  const problem = versionProblem(last, next, step) ?? (dry ? undefined : uncommitted());
  if (problem !== undefined) throw new Error(problem);
  const temporary = mkdtempSync(join(tmpdir(), 'portico-release-'));
  // npm gives the list of contents the name of the folder.
  const copy = join(temporary, 'portico-service');
  try {
    copyCheckout(copy);
    const edited = edit(copy, next);
    const made = pack(copy, next);
    if (dry) {
      print(next, last, step, edited, made);
      return;
    }
    const target = join(root, 'release', next);
    mkdirSync(target, { recursive: true });
    for (const { file } of made) cpSync(join(copy, 'release', file), join(target, file));
    for (const path of edited) cpSync(join(copy, path), join(root, path));
    git('commit', '--quiet', '--message', `chore(release): ${next}`, '--', ...edited);
    git('tag', '--annotate', `v${next}`, '--message', `Portico ${next}`);
    console.log(
      `release/${next} and the tag v${next} are made; nothing is published. See docs/releasing.md.`,
    );
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The version of the last tag; undefined before the first release. */
function lastRelease(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*').slice(1);
  } catch {
    return undefined;
  }
}

function versionNow(): string {
  return (JSON.parse(read(root, 'package.json')) as { version: string }).version;
}

function uncommitted(): string | undefined {
  return git('status', '--porcelain') === '' ? undefined : 'There are changes that are not committed';
}

/** What git knows or would add, with the installed packages: the copy builds as the checkout does. */
function copyCheckout(copy: string): void {
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const path of files.filter(Boolean)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  const packages = join(copy, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('portico')) symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  symlinkSync('../packages/portico', join(packages, 'portico'));
}

/** Writes version and changelog. The paths that were changed. */
function edit(folder: string, next: string): string[] {
  const today = new Date().toISOString().slice(0, 10);
  for (const path of MANIFESTS) write(folder, path, withVersion(read(folder, path), next));
  for (const path of PAGES)
    write(
      folder,
      path,
      read(folder, path).replaceAll(/(?<=portico(?:-service)?-)\d+\.\d+\.\d+(?=\.tgz)/g, next),
    );
  write(folder, 'CHANGELOG.md', cutChangelog(read(folder, 'CHANGELOG.md'), next, today));
  return [...MANIFESTS, ...PAGES, 'CHANGELOG.md'];
}

interface Made {
  readonly file: string;
  /** The paths in a tarball. */
  readonly contains?: readonly string[];
}

/** Packs both packages, and writes what goes with them. */
function pack(folder: string, next: string): Made[] {
  const target = join(folder, 'release');
  mkdirSync(target);
  const made = PACKAGES.flatMap(({ name, words }): Made[] => {
    const packed = JSON.parse(
      jsonOf(run(folder, 'npm', 'pack', '--json', '--silent', '--pack-destination', target, ...words)),
    ) as
      | { filename: string; files: { path: string }[] }[]
      | Record<string, { filename: string; files: { path: string }[] }>;
    const [tarball] = Object.values(packed);
    if (tarball === undefined) throw new Error(`npm has not packed ${name}`);
    return [{ file: tarball.filename, contains: tarball.files.map(({ path }) => path) }];
  });
  writeFileSync(join(target, SBOM), run(folder, 'npm', ...SBOM_WORDS));
  writeFileSync(join(target, 'NOTES.md'), `${notesOf(read(folder, 'CHANGELOG.md'), next)}\n`);
  const sums = [...made, { file: SBOM }, { file: 'NOTES.md' }].map(
    ({ file }) =>
      `${createHash('sha256')
        .update(readFileSync(join(target, file)))
        .digest('hex')}  ${file}\n`,
  );
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
  return [...made, { file: SBOM }, { file: 'NOTES.md' }, { file: 'SHA256SUMS' }];
}

/** What a script of the package prints comes first. */
function jsonOf(output: string): string {
  return output.slice(Math.max(0, output.search(/^[[{]/m)));
}

function print(
  next: string,
  last: string | undefined,
  step: string,
  edited: readonly string[],
  made: readonly Made[],
): void {
  console.log(`A dry run: nothing was changed.

${last === undefined ? `${next} is the first release.` : `${next} follows ${last}; the schema asks for a ${step} version.`}

Edited, committed as "chore(release): ${next}" and tagged v${next}:
${edited.map((path) => `  ${path}`).join('\n')}

Written to release/${next}:
${made.map(({ file, contains }) => `  ${file}${contains === undefined ? '' : ` (${contains.length} files)`}`).join('\n')}
`);
  for (const { file, contains = [] } of made.filter(({ contains: paths }) => paths !== undefined))
    console.log(`${file}:\n${contains.map((path) => `  ${path}`).join('\n')}\n`);
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function write(folder: string, path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}
