import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Jest's own package, which only Jest can find. */
const { default: Sequencer } = createRequire(fileURLToPath(import.meta.resolve('jest')))(
  '@jest/test-sequencer',
);

/** Seconds that the longest took on two cores. What is not here takes less, and comes in Jest's own order. */
const SECONDS = Object.entries({
  'test/e2e/federation/commands': 50,
  'test/e2e/sessions/many-users': 40,
  'test/e2e/edge/fuzz': 35,
  'test/e2e/answers/heavy-queries': 30,
  'test/session/session-interleavings': 28,
  'test/packaging/client-package': 27,
  'test/e2e/service-process': 26,
  'test/e2e/edge/browser': 25,
  'test/e2e/console/': 24,
  'test/packaging/consumers': 20,
  'test/packaging/service-package': 16,
  'test/graphql/federation/': 15,
  'test/e2e/federation/': 14,
  'test/load/unsent-answers': 13,
  'test/session/session-model': 12,
  'packages/portico/test/client/connection/raw-answers/raw-answer-fuzz': 11,
});
const secondsOf = ({ path }) => SECONDS.find(([start]) => path.includes(start))?.[1] ?? 0;

/**
 * Starts the longest specs first, so that all workers end together. A fresh clone has no times of its own, without which
 * Jest goes by the size of the files, and a long one may come last.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
