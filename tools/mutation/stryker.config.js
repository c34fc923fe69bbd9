const room = process.env.ROOM;

/** Changes the sources of one room, a line at a time, and runs the specs of the room that reach the line. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [`src/${room}/**/*.ts`, `packages/portico/src/${room}/**/*.ts`],
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: `reports/mutation-${room}.json`,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { reportTests: false },
  // Text that only people read, and what decorators say of a schema, changes nothing that a test could notice.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  // It writes into every file, and specs compare files with the documentation.
  disableTypeChecks: false,
  // Vitest ends a test that waits; this is for code that never stops.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 30,
  ignorePatterns: ['reports', 'bench', 'public', 'examples/**/node_modules', 'tools/**/node_modules'],
};
