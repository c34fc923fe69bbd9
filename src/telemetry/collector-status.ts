/** The result of an export, as the SDK reports it to the caller of an exporter. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

const SUCCESS = 0;

/**
 * Reports when the collector does not accept data, and when it does again, because the SDK does not. Only the error's
 * code or HTTP status is reported.
 */
export class CollectorStatus {
  readonly #what: 'traces' | 'metrics';
  readonly #report: (message: string) => void;
  #isFailing = false;

  constructor(what: 'traces' | 'metrics', report: (message: string) => void) {
    this.#what = what;
    this.#report = report;
  }

  /** The callback of an export, which first takes note of its result. */
  watch<T extends ExportResult>(done: (result: T) => void): (result: T) => void {
    return (result) => {
      const isFailing = result.code !== SUCCESS;
      if (isFailing && !this.#isFailing) {
        this.#report(`The OpenTelemetry collector does not accept ${this.#what}: ${faultOf(result.error)}`);
      } else if (!isFailing && this.#isFailing) {
        this.#report(`The OpenTelemetry collector accepts ${this.#what} again`);
      }
      this.#isFailing = isFailing;
      done(result);
    };
  }
}

function faultOf(error: Error | undefined): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  if (typeof code === 'number') return `it answered HTTP ${code}`;
  const system = code ?? cause?.code;
  return typeof system === 'string' ? system : 'no connection, or no answer in time';
}
