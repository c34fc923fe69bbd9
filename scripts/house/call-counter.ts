/**
 * Loaded into a service by `--import`: counts the calls of every function by V8's precise coverage from the start on,
 * and replies to each message of its parent with those since the previous one.
 */
import { type Profiler, Session } from 'node:inspector/promises';
import { type Call } from './calls.ts';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

process.on('message', () => void reply());
// The channel alone must not keep a service running that has been stopped.
process.channel?.unref();

async function reply(): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  process.send?.(result.flatMap(callsIn));
}

/** V8 reports the fields of a class as a function of its own, though they are a part of its constructor. */
const FIELDS = /^<(?:instance|static)_(?:members_)?initializer>$/;

/** The first range of a function is the whole of it; its count is how often the function was called. */
function callsIn({ url, functions }: Profiler.ScriptCoverage): Call[] {
  if (!url.startsWith('file:')) return [];
  return functions.flatMap(({ functionName, ranges: [whole] }) =>
    whole === undefined || whole.count === 0 || FIELDS.test(functionName)
      ? []
      : [{ url, name: functionName, offset: whole.startOffset, count: whole.count }],
  );
}
