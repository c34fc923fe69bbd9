import { CASES } from './cases.ts';
import { type FigureId } from './sample.ts';

export interface Figure {
  readonly title: string;
  readonly unit: '/s' | 'ms' | 'MB';
}

export const PLATFORM_DELAY = 20;
export const OPEN_RATE = 200;

/** What is measured, in the order of the table. */
export const FIGURES: Readonly<Record<FigureId, Figure>> = {
  own: { title: CASES.own.title, unit: '/s' },
  shared: { title: CASES.shared.title, unit: '/s' },
  hasSession: { title: CASES.hasSession.title, unit: '/s' },
  typename: { title: CASES.typename.title, unit: '/s' },
  entities: { title: CASES.entities.title, unit: '/s' },
  login: { title: 'login', unit: '/s' },
  open: {
    title: `p99 of \`projects\` at ${OPEN_RATE} requests/s, platform of ${PLATFORM_DELAY} ms`,
    unit: 'ms',
  },
  cold: { title: 'start to the first answer', unit: 'ms' },
  idle: { title: 'memory, idle', unit: 'MB' },
  loaded: { title: 'memory after load', unit: 'MB' },
  client: { title: 'client alone, `GET sessions`', unit: '/s' },
};

export const FIGURE_IDS = Object.keys(FIGURES) as FigureId[];
