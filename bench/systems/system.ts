import { type Headers } from '../load/ask.ts';
import { type FigureId } from '../measure/sample.ts';

/** What a run has beside the systems that it measures. */
export interface Surroundings {
  readonly platform: { readonly port: number; readonly origin: string };
  /** Undefined where no Redis is needed or to be had. */
  readonly redisUrl: string | undefined;
  /** A folder of the run's own, removed at its end. */
  readonly folder: string;
}

/** How a system is started on a port. */
export interface Launch {
  /** By default the Node that runs the bench. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Portico with some settings, or a peer. */
export interface System {
  readonly id: string;
  readonly label: string;
  /** What can be measured of it. */
  readonly figures: readonly FigureId[];
  /** The mutation by which it logs in, where it keeps sessions. */
  readonly loginQuery?: string;
  /** Installs or builds what it needs, once a run; throws where it cannot be had, with the reason. */
  prepare?(surroundings: Surroundings): Promise<void>;
  launch(port: number, surroundings: Surroundings): Launch;
  /** The headers of a caller with a session of its own. */
  login(port: number, surroundings: Surroundings): Promise<Headers>;
}

/** What can be measured of every system, and of one that keeps sessions. */
export const PLAIN_FIGURES: readonly FigureId[] = [
  'cold',
  'idle',
  'own',
  'shared',
  'typename',
  'open',
  'loaded',
];
export const SESSION_FIGURES: readonly FigureId[] = [...PLAIN_FIGURES, 'hasSession', 'login'];
