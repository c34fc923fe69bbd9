/** What one look at the installation found. */
export interface Finding {
  /** What was looked at, such as `session store`. */
  readonly what: string;
  readonly state: 'right' | 'warning' | 'wrong' | 'skipped';
  readonly found: string;
  /** The setting that fixes it, and how. */
  readonly fix?: string | undefined;
}

const SIGNS: Readonly<Record<Finding['state'], string>> = {
  right: 'ok',
  warning: 'warning',
  wrong: 'WRONG',
  skipped: 'skipped',
};

/** The findings as a table, with the fix below what it fixes. */
export function findingsTable(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .flatMap(({ what, state, found, fix }) => [
      `${SIGNS[state].padEnd(8)} ${what.padEnd(width)}  ${found}`,
      ...(fix === undefined ? [] : [`${' '.repeat(8)} ${' '.repeat(width)}  -> ${fix}`]),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

/** Prints the findings and returns the exit code: 1 if something is wrong. */
export function report(findings: readonly Finding[], asJson: boolean | undefined): number {
  const isRight = findings.every(({ state }) => state !== 'wrong');
  const text =
    asJson === true ? `${JSON.stringify({ ok: isRight, findings }, null, 2)}\n` : findingsTable(findings);
  process.stdout.write(text);
  return isRight ? 0 : 1;
}
