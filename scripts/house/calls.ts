import { dirname } from 'node:path';

/** A function that was called, as V8's coverage reports it. */
export interface Call {
  readonly url: string;
  /** Empty for a callback that is written where it is passed. */
  readonly name: string;
  /** Where the function starts in its file; tells functions of one name apart. */
  readonly offset: number;
  readonly count: number;
}

export interface CallFigures {
  readonly files: number;
  readonly folders: number;
  readonly calls: number;
  /** `calls` without those of callbacks that have no name. */
  readonly namedCalls: number;
  /** The calls of each file, with callbacks. */
  readonly callsByFile: Readonly<Record<string, number>>;
}

/**
 * What a request calls, from several windows with one such request each, less what is called in windows without one:
 * timers run in both. The median counts, because looks at the load and batches of log lines depend on the moment.
 */
export function callsOfRequest(
  windows: readonly (readonly Call[])[],
  idle: readonly (readonly Call[])[],
): Call[] {
  const background = new Map(medians(idle).map((call) => [keyOf(call), call.count]));
  return medians(windows).flatMap((call) => {
    const count = call.count - (background.get(keyOf(call)) ?? 0);
    return count > 0 ? [{ ...call, count }] : [];
  });
}

/** Each function that was called, with the median of its counts; of an even number of counts, the lower one. */
function medians(windows: readonly (readonly Call[])[]): Call[] {
  const counts = new Map<string, number[]>();
  const functions = new Map<string, Call>();
  for (const call of windows.flat()) {
    const key = keyOf(call);
    functions.set(key, call);
    counts.set(key, [...(counts.get(key) ?? []), call.count]);
  }
  return Array.from(functions, ([key, call]) => {
    const called = counts.get(key) ?? [];
    const notCalled = Array.from({ length: windows.length - called.length }, () => 0);
    const sorted = [...notCalled, ...called.sort((a, b) => a - b)];
    return { ...call, count: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0 };
  });
}

function keyOf({ url, offset, name }: Call): string {
  return `${url} ${offset} ${name}`;
}

/** Counts the calls in our own code. `sourceOf` gives the source of a file, and undefined for what is not ours. */
export function countCalls(
  calls: readonly Call[],
  sourceOf: (url: string) => string | undefined,
): CallFigures {
  const own = calls.flatMap((call) => {
    const source = sourceOf(call.url);
    return source === undefined ? [] : [{ ...call, source }];
  });
  const sources = new Set(own.map(({ source }) => source));
  const sum = (counted: readonly Call[]): number => counted.reduce((total, { count }) => total + count, 0);
  return {
    files: sources.size,
    folders: new Set(Array.from(sources, dirname)).size,
    calls: sum(own),
    namedCalls: sum(own.filter(({ name }) => name !== '')),
    callsByFile: Object.fromEntries(
      Array.from(sources, (file) => [file, sum(own.filter(({ source }) => source === file))]),
    ),
  };
}
