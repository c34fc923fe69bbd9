/** What both kinds of exporters have in common. */
interface Exporter<T> {
  export(items: T, done: (result: { code: number; error?: Error }) => void): void;
}

const SUCCESS = 0;

/**
 * Tells the operator when the collector does not accept data, and when it does again, because the SDK does not report it.
 * Only the error's code or HTTP status is reported.
 */
export function reportingExporter<T, E extends Exporter<T>>(
  exporter: E,
  what: 'traces' | 'metrics',
  report: (message: string) => void,
): E {
  let isFailing = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    send(items, (result) => {
      if (result.code === SUCCESS && isFailing) report(`The OpenTelemetry collector accepts ${what} again`);
      if (result.code !== SUCCESS && !isFailing) {
        report(`The OpenTelemetry collector does not accept ${what}: ${faultOf(result.error)}`);
      }
      isFailing = result.code !== SUCCESS;
      done(result);
    });
  };
  return exporter;
}

function faultOf(error: Error | undefined): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  if (typeof code === 'number') return `it answered HTTP ${code}`;
  const system = code ?? cause?.code;
  return typeof system === 'string' ? system : 'no connection, or no answer in time';
}
