import { type FigureId } from '../measure/sample.ts';

export type Peer = 'limit' | 'tailcall' | 'nest' | 'hive';

/** A bound of a ratio to a peer in the same run, or of the figure itself where no peer is named. */
export interface Goal {
  readonly of?: Peer;
  readonly least?: number;
  readonly most?: number;
}

/** What the service is to reach, sealing and the session store included. */
const GOALS: Partial<Record<FigureId, readonly Goal[]>> = {
  own: [
    { of: 'limit', least: 0.6 },
    { of: 'tailcall', least: 0.6 },
    { of: 'nest', least: 2.3 },
    { of: 'hive', least: 4.5 },
  ],
  shared: [
    { of: 'limit', least: 1.25 },
    { of: 'tailcall', least: 1.25 },
    { of: 'hive', least: 8 },
  ],
  hasSession: [{ of: 'limit', least: 0.6 }],
  typename: [{ of: 'nest', least: 0.9 }],
  login: [
    { of: 'limit', least: 0.5 },
    { of: 'nest', least: 0.7 },
  ],
  open: [{ most: 90 }],
  cold: [{ of: 'nest', most: 1.5 }],
  idle: [{ of: 'nest', most: 1.1 }],
  loaded: [{ of: 'nest', most: 1 }],
};

/** With sessions in Redis one goal is set. */
const GOALS_WITH_REDIS: Partial<Record<FigureId, readonly Goal[]>> = { own: [{ of: 'limit', least: 0.5 }] };

/** The CPU of `_entities`, as so many times that of `projects` by the same system. */
export const ENTITIES_GOAL: Goal = { most: 1.3 };

/** The goal of a system's figure; a system that is not the service has none. */
export function goalOf(figure: FigureId, system: string, of?: Peer): Goal | undefined {
  if (!/^(got|undici)/.test(system)) return undefined;
  const goals = system.endsWith('redis') ? GOALS_WITH_REDIS : GOALS;
  return goals[figure]?.find((goal) => goal.of === of);
}

/** A figure with its goal and whether it is met. */
export function judge(value: number, text: string, goal: Goal | undefined): string {
  if (goal === undefined) return text;
  const { least = -Infinity, most = Infinity } = goal;
  const bound = goal.least === undefined ? `≤ ${most}` : `≥ ${least}`;
  return `${text} (${bound}: ${value >= least && value <= most ? 'met' : '**not met**'})`;
}
