import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * `npm start` repeats the signal that the terminal has already sent. A signal that follows this soon is the same one.
 */
const SAME_MS = 400;

/**
 * Long enough to read connections that were held while the process was busy: closing them unread would lose their
 * requests.
 */
const LEAST_DELAY_MS = 50;

/** A signal that stops the service. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** How a service stops. */
export interface Stopping {
  readonly signals: readonly StopSignal[];
  /** How long it keeps serving after it has reported that it is not ready. */
  readonly delaySeconds: number;
  /** Reports from now on that it is not ready. */
  readonly withdraw: () => void;
  /** Finishes the requests in progress, and accepts no new ones. */
  readonly close: () => Promise<void>;
}

/**
 * On one of the signals the service first reports that it is not ready and keeps serving, so that load balancers send
 * requests elsewhere. Then it finishes the requests in progress and exits with 0. A second signal ends it
 * immediately.
 */
export function stopOnSignals(stopping: Stopping): void {
  let since: number | undefined;
  for (const signal of stopping.signals) {
    process.on(signal, () => {
      if (since === undefined) {
        since = performance.now();
        void stop(stopping);
      } else if (performance.now() - since > SAME_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

async function stop({ withdraw, delaySeconds, close }: Stopping): Promise<void> {
  try {
    withdraw();
    await pause(Math.max(LEAST_DELAY_MS, delaySeconds * 1000));
    await close();
    process.exit(0);
  } catch (fault) {
    process.stderr.write(
      `The service could not stop cleanly: ${fault instanceof Error ? fault.message : ''}\n`,
    );
    process.exit(1);
  }
}
