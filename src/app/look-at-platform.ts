import { type ProbeResult } from '../platform/probe.js';
import { type Finding } from './finding.js';

/** A difference below this may come from the whole seconds of the `Date` header and the time that the answer took to arrive. */
const CLOCK_MS = 30_000;

/** The findings of the probe. */
export function lookAtPlatform(
  baseUrl: string,
  { outcome, version, advice, clockDifferenceMs }: ProbeResult,
): Finding[] {
  const what = 'platform';
  if (advice !== undefined) {
    const state = outcome === 'REDIRECTED' && version !== undefined ? 'warning' : 'wrong';
    return [{ what, state, ...advice }, ...clock(clockDifferenceMs)];
  }
  return [
    { what, state: 'right', found: `version ${version ?? ''} answers at ${baseUrl}` },
    ...clock(clockDifferenceMs),
  ];
}

function clock(differenceMs: number | undefined): Finding[] {
  if (differenceMs === undefined) return [];
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (Math.abs(differenceMs) < CLOCK_MS) {
    return [{ what: 'clock', state: 'right', found: "the same as the platform's" }];
  }
  const found = `${seconds} seconds ${differenceMs > 0 ? 'behind' : 'ahead of'} the platform's clock`;
  return [
    {
      what: 'clock',
      state: 'warning',
      found,
      fix: 'this machine or the platform: run a time service (NTP) on both',
    },
  ];
}
