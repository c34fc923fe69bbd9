import { type FigureId, type Run, type Sample } from '../measure/sample.ts';
import { median } from '../statistics.ts';

type Part = (sample: Sample) => number | undefined;
const valueOf: Part = ({ value }) => value;

/** The middle of some part of a figure over the rounds, undefined where it was not measured. */
export function middle(run: Run, figure: FigureId, system: string, part = valueOf): number | undefined {
  const all = numbers(run, figure, system, part);
  return all.length === 0 ? undefined : median(all);
}

/** The least and the most of a figure. */
export function spread(run: Run, figure: FigureId, system: string): readonly [number, number] {
  const all = numbers(run, figure, system, valueOf);
  return [Math.min(...all), Math.max(...all)];
}

/**
 * How many times the peer's figure a system's is: the middle of the ratios within each round, so that what else the
 * machine does meanwhile falls on both.
 */
export function ratio(
  run: Run,
  [figure, system]: readonly [FigureId, string],
  [peerFigure, peer]: readonly [FigureId, string],
  part = valueOf,
): number | undefined {
  const ratios = rounds(run).flatMap((round) => {
    const own = numbers(run, figure, system, part, round)[0];
    const other = numbers(run, peerFigure, peer, part, round)[0];
    return own === undefined || other === undefined ? [] : [own / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

function rounds(run: Run): number[] {
  return Array.from({ length: run.rounds }, (_, index) => index + 1);
}

function numbers(run: Run, figure: FigureId, system: string, part: Part, round?: number): number[] {
  return run.samples
    .filter((each) => each.figure === figure && each.system === system)
    .filter((each) => round === undefined || each.round === round)
    .map(part)
    .filter((number) => number !== undefined);
}
