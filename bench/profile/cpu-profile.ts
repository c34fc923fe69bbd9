import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A function that was running. */
export interface Frame {
  readonly functionName: string;
  /** The source file as far as a source map tells it, `node:…` for Node's own, empty for what V8 does itself. */
  readonly path: string;
  readonly parent: Frame | undefined;
}

/** Time that was spent in a function itself. */
export interface ProfileSample {
  readonly frame: Frame;
  readonly microseconds: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * The samples of a V8 CPU profile between two moments, in microseconds of the machine's monotonic clock, which is also
 * that of `process.hrtime`. Time without work is left out.
 */
export function readProfile(text: string, from: number, to: number): ProfileSample[] {
  const profile = JSON.parse(text) as CpuProfile;
  const frames = framesOf(profile.nodes);
  const samples: ProfileSample[] = [];
  let now = profile.startTime;
  profile.samples.forEach((id, index) => {
    const microseconds = profile.timeDeltas[index] ?? 0;
    now += microseconds;
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)' || now < from || now > to) return;
    samples.push({ frame, microseconds });
  });
  return samples;
}

function framesOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, Frame> {
  const maps = new Map<string, SourceMap | undefined>();
  const frames = new Map<number, { functionName: string; path: string; parent: Frame | undefined }>();
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber, columnNumber } = callFrame;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    const path = entry !== undefined && 'originalSource' in entry ? entry.originalSource : url;
    frames.set(id, { functionName, path, parent: undefined });
  }
  for (const { id, children = [] } of nodes) {
    for (const child of children) {
      const frame = frames.get(child);
      if (frame !== undefined) frame.parent = frames.get(id);
    }
  }
  return frames;
}

/** The source map beside a file of the build, so that a bundle is told apart too. */
function mapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return undefined;
  const path = `${fileURLToPath(url)}.map`;
  if (!existsSync(path)) return undefined;
  return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as ConstructorParameters<typeof SourceMap>[0]);
}
