/** Reads the metrics port. */
export interface MetricsReader {
  readonly url: string;
  /** The whole text. */
  text(): Promise<string>;
  /** The value of one series, such as `name{label="value"}`; undefined where there is none. */
  value(series: string): Promise<number | undefined>;
}

export function metricsReader(url: string): MetricsReader {
  const text = async (): Promise<string> => (await fetch(url)).text();
  return {
    url,
    text,
    value: async (series) => {
      const line = (await text()).split('\n').find((candidate) => candidate.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length));
    },
  };
}
