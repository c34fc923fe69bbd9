import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { schemaOf } from './breaking-changes.ts';

/** How much of a version a change has to raise, from the least. */
const STEPS = ['patch', 'minor', 'major'] as const;
export type Step = (typeof STEPS)[number];

/**
 * How much the changes of the schema raise the version: what breaks clients is major, any other change is minor.
 *
 * @param before the schema of the last release, as SDL.
 * @param after the schema of this one, as SDL.
 */
export async function stepOfSchema(before: string, after: string): Promise<Step> {
  const changes = await diff(schemaOf(before), schemaOf(after));
  if (changes.some(({ criticality }) => criticality.level === CriticalityLevel.Breaking)) return 'major';
  return changes.length > 0 ? 'minor' : 'patch';
}

/**
 * Why a version cannot follow the last one; undefined if it can. Before 1.0.0, a minor version may break clients
 * (https://semver.org/#spec-item-4).
 */
export function versionProblem(last: string | undefined, next: string, step: Step): string | undefined {
  const wanted = partsOf(next);
  if (wanted === undefined) return `${next} is not a version of the form 1.2.3`;
  if (last === undefined) return undefined;
  const before = partsOf(last) ?? [0, 0, 0];
  const raised = wanted.findIndex((part, index) => part !== before[index]);
  if (raised === -1 || (wanted[raised] ?? 0) < (before[raised] ?? 0))
    return `${next} does not follow ${last}`;
  const actual = STEPS.length - 1 - raised;
  const needed = Math.min(STEPS.indexOf(step), before[0] === 0 ? STEPS.indexOf('minor') : STEPS.length);
  if (actual >= needed) return undefined;
  return `the schema has ${step === 'major' ? 'breaking changes' : 'changes'} since ${last}: ${next} is too little, raise the ${STEPS[needed] ?? step} version`;
}

/**
 * The least version that may follow the last one.
 *
 * @param step undefined for the first release, which has the version that the manifests have.
 */
export function nextVersion(last: string, step: Step | undefined): string {
  const [major = 0, minor = 0, patch = 0] = partsOf(last) ?? [];
  if (step === undefined) return last;
  if (step === 'patch') return `${major}.${minor}.${patch + 1}`;
  return step === 'minor' || major === 0 ? `${major}.${minor + 1}.0` : `${major + 1}.0.0`;
}

function partsOf(version: string): number[] | undefined {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version) ? version.split('.').map(Number) : undefined;
}

/**
 * The changelog with what is unreleased as the section of a version.
 *
 * @param date such as `2026-03-01`.
 * @throws Error if nothing is unreleased.
 */
export function cutChangelog(changelog: string, version: string, date: string): string {
  const [head, rest = ''] = splitAt(changelog, '## Unreleased\n');
  const [section] = splitAt(rest, '\n## ');
  if (section.trim() === '') throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
  return `${head}## Unreleased\n\n## ${version} - ${date}\n${rest}`;
}

/** What the changelog says about a version. */
export function notesOf(changelog: string, version: string): string {
  const [, rest = ''] = splitAt(changelog, `## ${version} - `);
  const [section] = splitAt(rest, '\n## ');
  return section.slice(section.indexOf('\n')).trim();
}

function splitAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** What a manifest and an entry of a lock file have in common. */
interface Versioned {
  version?: string;
  dependencies?: Record<string, unknown>;
  packages?: Record<string, Versioned>;
}

/** A manifest or the lock file, with another version of both packages wherever it names one. */
export function withVersion(json: string, version: string): string {
  const file = JSON.parse(json) as Versioned;
  for (const each of [file, file.packages?.[''], file.packages?.['packages/portico']]) {
    if (each === undefined) continue;
    each.version = version;
    if (typeof each.dependencies?.portico === 'string') each.dependencies.portico = version;
  }
  return `${JSON.stringify(file, null, 2)}\n`;
}
