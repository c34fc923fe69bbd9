import { parseArgs } from 'node:util';
import { FIGURE_IDS } from './measure/figures.ts';
import { type FigureId } from './measure/sample.ts';
import { FULL, GUARD, QUICK } from './measure/timing.ts';
import { type RunPlan } from './measure/run.ts';
import { GUARDED_FIGURES, GUARDED_SYSTEMS } from './report/guard.ts';
import { BEFORE, PORTICOS, SYSTEMS } from './systems/index.ts';

export const USAGE = `npm run bench -- [options]

  --rounds N         rounds (5; with --quick 2, with --guard 3)
  --quick            the service with the embedded store and two peers, shorter: under 3 minutes
  --only FIGURES     of ${FIGURE_IDS.join(', ')}
  --systems SYSTEMS  of ${SYSTEMS.map(({ id }) => id).join(', ')}
  --peers PEERS      the peers that are installed first: hive,tailcall (both, unless with --quick or --guard)
  --beside DIR       also measures the service of another checkout, built, as before-… next to each of ours
  --guard            fails if the service is more than a quarter worse than in bench/guard.json
  --update           with --guard: writes bench/guard.json instead
  --json FILE        also writes every sample to a file
  --from FILE        measures nothing and reads such a file instead
  --write            puts the table into docs/performance.md
`;

const ON_DEMAND = ['hive', 'tailcall'];
const QUICK_FIGURES: readonly FigureId[] = FIGURE_IDS.filter((id) => id !== 'login' && id !== 'entities');

/** What the command line asks for. */
export interface Options {
  readonly plan: RunPlan;
  readonly guard: boolean;
  readonly update: boolean;
  readonly write: boolean;
  readonly json: string | undefined;
  readonly from: string | undefined;
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      systems: { type: 'string' },
      peers: { type: 'string' },
      beside: { type: 'string' },
      guard: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      json: { type: 'string' },
      from: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const { quick, guard, beside } = values;
  const rounds = Number(values.rounds ?? (guard ? 3 : quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
  const systems =
    values.systems === undefined
      ? [
          ...(guard
            ? ['nest', ...GUARDED_SYSTEMS]
            : quick
              ? ['limit', 'nest', 'got', 'undici']
              : permanent()),
          ...list('--peers', values.peers ?? (quick || guard ? '' : ON_DEMAND.join()), ON_DEMAND),
        ]
      : list(
          '--systems',
          values.systems,
          SYSTEMS.map(({ id }) => id),
        );
  const all: readonly FigureId[] = guard ? GUARDED_FIGURES : quick ? QUICK_FIGURES : FIGURE_IDS;
  return {
    ...values,
    json: values.json,
    from: values.from,
    plan: {
      rounds,
      timing: quick ? QUICK : guard ? GUARD : FULL,
      figures: new Set(values.only === undefined ? all : list('--only', values.only, FIGURE_IDS)),
      systems: beside === undefined ? systems : systems.flatMap(withBefore),
      beside,
    },
  };
}

/** All but the peers that are installed on demand. */
function permanent(): string[] {
  return SYSTEMS.map(({ id }) => id).filter((id) => !ON_DEMAND.includes(id));
}

/** One after the other, so that both have the same minute of the machine. */
function withBefore(system: string): string[] {
  return PORTICOS.some(({ id }) => id === system) ? [system, `${BEFORE}${system}`] : [system];
}

function list<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  return text
    .split(',')
    .filter((part) => part !== '' && part !== 'none')
    .map((part) => {
      const found = known.find((each) => each === part.trim());
      if (found === undefined)
        throw new Error(`${option} does not know "${part}". It takes: ${known.join(', ')}`);
      return found;
    });
}
