import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import ClosingReport from './test/support/closing-report.js';
import { LongestFirst } from './test/support/longest-first.js';

/** Three minutes: a busy machine fails no test. What must be quick is shown by other means. */
const PATIENCE_MS = 180_000;

/** The tests run on the sources; `paths` in tsconfig.json says where those of the two packages are. */
export default defineConfig({
  resolve: {
    tsconfigPaths: true,
    // Node takes the CommonJS build of graphql, and so do Nest and Apollo; two copies would not know each other's types.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test', 'packages/portico/test', 'examples/nest-host/test'].map(
      (folder) => `${folder}/**/*.{spec,e2e-spec}.ts`,
    ),
    // Nest, Apollo and GraphQL are loaded once for all files of a worker, which is half of the time.
    isolate: false,
    setupFiles: ['test/support/real-timers.ts'],
    // Processes and not threads: tests change the working directory and send signals.
    pool: 'forks',
    // One more than there are cores: a third of a run waits, for processes that start and stores that fail over.
    maxWorkers: availableParallelism() + 1,
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    teardownTimeout: PATIENCE_MS,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new ClosingReport()],
  },
});
