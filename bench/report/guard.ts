import { FIGURES } from '../measure/figures.ts';
import { type FigureId, type Run } from '../measure/sample.ts';
import { ratio } from './summary.ts';

/** For each system and figure, how many times as good as Nest by hand in the same run. */
export type GuardFigures = Readonly<Record<string, Readonly<Partial<Record<FigureId, number>>>>>;

export const GUARDED_SYSTEMS = ['got', 'undici'];
export const GUARDED_FIGURES: readonly FigureId[] = [
  'own',
  'shared',
  'hasSession',
  'typename',
  'cold',
  'loaded',
];
const LOSS = 0.25;

/** Requests are compared by their CPU, which other work on the machine changes least. */
export function guardFigures(run: Run): GuardFigures {
  return Object.fromEntries(
    GUARDED_SYSTEMS.map((system) => [
      system,
      Object.fromEntries(
        GUARDED_FIGURES.flatMap((figure) => {
          const part = FIGURES[figure].unit === '/s' ? (sample: { cpu?: number }) => sample.cpu : undefined;
          const better = ratio(run, [figure, 'nest'], [figure, system], part);
          return better === undefined ? [] : [[figure, Number(better.toFixed(2))]];
        }),
      ),
    ]),
  );
}

/** What has become worse by more than a quarter, or is not there any more, a line each. */
export function losses(kept: GuardFigures, now: GuardFigures): string[] {
  return Object.entries(kept).flatMap(([system, figures]) =>
    (Object.entries(figures) as [FigureId, number][]).flatMap(([figure, before]) => {
      const after = now[system]?.[figure];
      if (after === undefined)
        return [`${system}, ${figure}: ${before} times Nest by hand before, not measured now`];
      if (after >= before * (1 - LOSS)) return [];
      return [`${system}, ${figure}: ${before} times Nest by hand before, ${after} now`];
    }),
  );
}
