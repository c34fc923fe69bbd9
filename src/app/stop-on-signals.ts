import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** `npm start` passes on the signal that the terminal has sent already: what follows this soon is the same one. */
const SAME_MS = 400;

/** How a service stops. */
export interface Stopping {
  /** For how long it goes on after it has said that it is not ready. */
  readonly delaySeconds: number;
  /** Says so from now on. */
  readonly withdraw: () => void;
  /** Lets what is under way finish, and takes nothing new. */
  readonly close: () => Promise<void>;
}

/**
 * On SIGTERM or SIGINT the service first says that it is not ready and goes on, so that balancers send requests elsewhere before
 * it is gone. Then it finishes what is under way and exits with 0. A second signal ends it at once.
 */
export function stopOnSignals(stopping: Stopping): void {
  let since: number | undefined;
  for (const signal of SIGNALS) {
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
    await pause(delaySeconds * 1000);
    await close();
    process.exit(0);
  } catch (fault) {
    process.stderr.write(
      `The service could not stop in order: ${fault instanceof Error ? fault.message : ''}\n`,
    );
    process.exit(1);
  }
}
