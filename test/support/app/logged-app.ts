import { standardOutput } from '../../../src/logging/standard-output.js';
import { noteOutput } from '../secrets/secret-ledger.js';
import { startApp, type TestApp } from './start-app.js';

/** The service in this process, and what it says. */
export interface LoggedApp extends TestApp {
  /** All that went to standard output since it started: its log and its audit log, and those of others beside it. */
  output(): string;
}

/**
 * Starts the service in this process with the log of a process of its own, for tests that read it: a line is there at
 * once, and none of them reaches the output of the test run.
 */
export async function startLoggedApp(environment: Record<string, string> = {}): Promise<LoggedApp> {
  const heard = listen();
  try {
    const app = await startApp({ LOG_LEVEL: 'info', AUDIT_LOG: 'stdout', ...environment });
    return {
      ...app,
      output: heard.text,
      close: async () => {
        await app.close();
        heard.end();
      },
    };
  } catch (fault) {
    heard.end();
    throw fault;
  }
}

const listeners = new Set<(line: string) => void>();

/** Takes what goes to standard output, until the last of those who listen ends. */
function listen(): { text: () => string; end: () => void } {
  const lines: string[] = [];
  const hear = (line: string): void => void lines.push(line);
  if (listeners.size === 0) {
    const tell = (line: string): void => {
      noteOutput(line);
      for (const listener of listeners) listener(line);
    };
    Object.assign(standardOutput(), { write: tell, writeAudit: tell });
  }
  listeners.add(hear);
  return {
    text: () => lines.join(''),
    end: () => {
      listeners.delete(hear);
      if (listeners.size > 0) return;
      const output: Partial<ReturnType<typeof standardOutput>> = standardOutput();
      delete output.write;
      delete output.writeAudit;
    },
  };
}
