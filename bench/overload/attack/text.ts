import { type LoadResult } from '../../load/tally.ts';
import { judge, type Goal } from '../../report/goals.ts';
import { type Attack } from './play.ts';
import { type OthersResult } from './tenant.ts';
import { type Watched } from './watch.ts';

const LIVEZ_GOAL: Goal = { most: 150 };
const ME_GOAL: Goal = { least: 100 };
const ME_TIME_GOAL: Goal = { most: 500 };
const MEMORY_GOAL: Goal = { most: 450 };
/** A guest who comes from more networks than this may cost the tenant something. */
const FEW_NETWORKS = 10;
/** Below these shares and milliseconds, the machine was quiet enough not to be mentioned. */
const NOTEWORTHY_SHARE = 0.1;
const NOTEWORTHY_DELAY = 20;

export interface Seen {
  readonly attack: Attack;
  readonly others: OthersResult;
  readonly watched: Watched;
  /** What the guest was answered. */
  readonly guest: string;
  /** The end of what the service wrote to stderr. */
  readonly complaint: string;
}

/** A cell of the table: each figure with its goal. */
export function text({
  attack,
  others: { livez, me, projects, login },
  watched,
  guest,
  complaint,
}: Seen): string {
  const hasGoal = attack.networks <= FEW_NETWORKS;
  return [
    watched.died === undefined ? 'alive' : `**DEAD** after ${watched.died.toFixed(1)} s${reason(complaint)}`,
    `\`/livez\` ${percent(livez) < 100 ? `${share(livez)}, ` : ''}${judge(livezTime(livez), `p99 ${time(livez.p99)}`, LIVEZ_GOAL)}`,
    `\`me\` ${judge(percent(me), share(me), hasGoal ? ME_GOAL : undefined)}, ${judge(me.p99, `p99 ${time(me.p99)}`, hasGoal ? ME_TIME_GOAL : undefined)}${firstFailure(me)}`,
    `projects ${share(projects)}, p99 ${time(projects.p99)}${firstFailure(projects)}`,
    `login ${share(login)}, p50 ${time(login.p50)}, p99 ${time(login.p99)}${firstFailure(login)}`,
    judge(watched.peakMegabytes, `at most ${watched.peakMegabytes} MB`, MEMORY_GOAL),
    ...(attack.plan.kind === 'pipelines' || attack.plan.kind === 'slow-senders' ? [held(watched)] : []),
    `the guest: ${guest}`,
    ...disturbance(watched),
  ].join('; ');
}

/** Missing answers are the slowest. */
function livezTime(livez: LoadResult): number {
  return percent(livez) < 100 ? Infinity : livez.p99;
}

function percent({ answers, failures }: LoadResult): number {
  return (100 * answers) / (answers + failures);
}

/** Rounded down: only what has no failure is 100 %. */
function share(result: LoadResult): string {
  return `${Math.floor(percent(result))} % of ${result.answers + result.failures}`;
}

function time(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? 'none' : `${Math.round(milliseconds)} ms`;
}

function firstFailure({ firstFailure: first }: LoadResult): string {
  if (first === undefined) return '';
  return ` (\`${/"code":"(\w+)"/.exec(first)?.[1] ?? first.slice(0, 40)}\`)`;
}

function held({ held: looks, mostHeld, died }: Watched): string {
  const last = looks.at(-1) ?? [0, 0];
  const peak = looks.findIndex(([, count]) => count === mostHeld);
  const gone = looks.slice(peak).find(([, count]) => count === 0);
  if (mostHeld === 0) return 'held no connection of the guest';
  const end =
    gone === undefined || died !== undefined
      ? `${last[1]} at the end (${last[0].toFixed(0)} s)`
      : `none after ${gone[0].toFixed(1)} s`;
  const at20 = looks.find(([seconds]) => seconds >= 20);
  const after20 = at20 === undefined ? '' : `, ${at20[1]} after 20 s`;
  return `held ${mostHeld} connections of the guest${after20}, ${end}`;
}

function reason(complaint: string): string {
  const found = /FATAL ERROR: ([^\n]*)/.exec(complaint)?.[1];
  return found === undefined ? '' : ` (${found.trim()})`;
}

/** What makes the figures of this row worse than the service is. */
function disturbance({ withoutCore, ownDelay }: Watched): string[] {
  const notes = [
    ...(withoutCore > NOTEWORTHY_SHARE
      ? [`other processes had the core of the service ${Math.round(withoutCore * 100)} % of the time`]
      : []),
    ...(ownDelay > NOTEWORTHY_DELAY
      ? [`the probes were up to ${Math.round(ownDelay)} ms late themselves`]
      : []),
  ];
  return notes.length === 0 ? [] : [`(${notes.join(', ')})`];
}
