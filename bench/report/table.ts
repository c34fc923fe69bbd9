import { FIGURE_IDS, FIGURES } from '../measure/figures.ts';
import { type FigureId, type Run } from '../measure/sample.ts';
import { BEFORE, PORTICOS, SYSTEMS } from '../systems/index.ts';
import { ENTITIES_GOAL, goalOf, judge, type Peer } from './goals.ts';
import { middle, ratio, spread } from './summary.ts';

const PEERS: Readonly<Record<Peer, string>> = {
  limit: 'the limit',
  tailcall: 'Tailcall',
  nest: 'Nest by hand',
  hive: 'Hive Gateway',
};
const CLIENTS = new Map([
  ['client-got', 'portico/client, got'],
  ['client-undici', 'portico/client, undici'],
  ['request-got', '`session.request`, got'],
  ['request-undici', '`session.request`, undici'],
  ['fetch-got', '`session.fetch`, got'],
  ['fetch-undici', '`session.fetch`, undici'],
  ['bare-got', 'bare got with a jar'],
  ['bare-undici', 'bare undici with a jar'],
]);
const EARLIER = PORTICOS.map(({ id, label }) => [`${BEFORE}${id}`, `${label}, before`] as const);
const LABELS = new Map([...SYSTEMS.map(({ id, label }) => [id, label] as const), ...EARLIER, ...CLIENTS]);
/** Under this share of its core a system was not what set the rate. */
const FULL = 0.85;

/** The whole comparison as one Markdown table, with what it needs to be read. */
export function table(run: Run): string {
  const header = ['', 'system', 'figure (least–most)', 'CPU µs'].concat(
    Object.values(PEERS).map((peer) => `of ${peer}`),
    hasBefore(run) ? ['of before'] : [],
  );
  const rows = FIGURE_IDS.flatMap((figure) =>
    Array.from(LABELS.keys(), (system) => row(run, figure, system)).filter((cells) => cells.length > 0),
  );
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [
    `${run.date}, ${run.machine}, load average ${run.loadBefore.toFixed(1)} before it began, medians of ${run.rounds} round${run.rounds === 1 ? '' : 's'}.`,
    '',
    ...lines,
    ...notes(run),
  ].join('\n');
}

function hasBefore(run: Run): boolean {
  return run.samples.some(({ system }) => system.startsWith(BEFORE));
}

function row(run: Run, figure: FigureId, system: string): string[] {
  const { title } = FIGURES[figure];
  const label = LABELS.get(system) ?? system;
  const value = middle(run, figure, system);
  if (value === undefined) {
    const reason = run.missing[system];
    const measures = SYSTEMS.find(({ id }) => id === system)?.figures.includes(figure) === true;
    const others = run.samples.some((sample) => sample.figure === figure);
    if (reason === undefined || !measures || !others) return [];
    return [
      title,
      label,
      `not measured: ${reason.replaceAll('|', '\\|')}`,
      '',
      '',
      '',
      '',
      '',
      ...(hasBefore(run) ? [''] : []),
    ];
  }
  const cpu = middle(run, figure, system, (sample) => sample.cpu);
  return [
    title,
    label,
    judge(value, withSpread(run, figure, system, value), goalOf(figure, system)),
    cpu === undefined ? '' : cpuText(run, figure, system, cpu),
    ...(Object.keys(PEERS) as Peer[]).map((peer) => ratioText(run, figure, system, peer)),
    ...(hasBefore(run) ? [ofBefore(run, figure, system)] : []),
  ];
}

function withSpread(run: Run, figure: FigureId, system: string, value: number): string {
  const { unit } = FIGURES[figure];
  const [least, most] = spread(run, figure, system);
  const busy = middle(run, figure, system, (sample) => sample.busy);
  const mark = unit === '/s' && busy !== undefined && busy < FULL ? ' \\*' : '';
  const p50 = figure === 'open' ? middle(run, figure, system, (sample) => sample.p50) : undefined;
  const half = p50 === undefined ? '' : `, p50 ${count(p50)}`;
  return `${count(value)}${unit === '/s' ? '' : ' '}${unit}${mark} (${count(least)}–${count(most)})${half}`;
}

function cpuText(run: Run, figure: FigureId, system: string, cpu: number): string {
  if (figure !== 'entities') return count(cpu);
  const times = ratio(run, [figure, system], ['own', system], (sample) => sample.cpu);
  if (times === undefined) return count(cpu);
  return `${count(cpu)}, ${judge(times, `${round(times)} of projects`, ENTITIES_GOAL)}`;
}

function ratioText(run: Run, figure: FigureId, system: string, peer: Peer): string {
  const other = figure === 'client' && peer === 'limit' ? 'bare-undici' : peer;
  if (other === system) return '';
  const times = ratio(run, [figure, system], [figure, other]);
  return times === undefined ? '' : judge(times, round(times), goalOf(figure, system, peer));
}

/** The figure, and the CPU of a request where there is one, as so many times those of the other checkout. */
function ofBefore(run: Run, figure: FigureId, system: string): string {
  const before = `${BEFORE}${system}`;
  const times = ratio(run, [figure, system], [figure, before]);
  if (times === undefined) return '';
  const cpu = ratio(run, [figure, system], [figure, before], (sample) => sample.cpu);
  return cpu === undefined ? round(times) : `${round(times)}, CPU ${round(cpu)}`;
}

function notes(run: Run): string[] {
  const failed = run.samples.filter(({ failures = 0 }) => failures > 0);
  return [
    '',
    '`projects` is `{ projects { id name description } }` of 100 projects, by 32 connections. CPU is that of the system for one request. Ratios are the medians of those within each round; for the client alone, the limit is bare undici. In parentheses: the goal, and whether it is met.',
    ...(run.samples.some(({ busy = 1, figure }) => busy < FULL && FIGURES[figure].unit === '/s')
      ? [
          '',
          `\\* The system had less than ${FULL * 100} % of its core: the load or other work on the machine set the rate.`,
        ]
      : []),
    ...Object.entries(run.missing)
      .filter(([id]) => run.samples.some(({ system }) => system === id))
      .map(([id, reason]) => `\n${LABELS.get(id) ?? id} was not measured to the end: ${reason}`),
    ...failed.map(
      ({ figure, system, round: number, failures = 0, firstFailure = '' }) =>
        `\n${LABELS.get(system) ?? system}, ${figure}, round ${number}: ${failures} failed, the first with \`${firstFailure}\`.`,
    ),
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function round(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
