import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * About how many seconds the longest take, of the processor and of waiting, on a busy machine: only their order counts.
 * What is not here takes less, and comes in Vitest's own order. The first that matches counts.
 */
const SECONDS = Object.entries({
  'test/e2e/federation/commands': 50,
  'test/e2e/chaos': 41,
  'test/e2e/console/page': 39,
  'test/e2e/edge/shipped-balancers': 35,
  'test/e2e/rolling': 30,
  'test/packaging/consumers': 30,
  'test/packaging/service-package': 30,
  'test/e2e/sessions/store-file': 28,
  'test/e2e/console/session-panel': 26,
  'test/e2e/service-process': 26,
  'test/e2e/sessions/operator-sessions': 25,
  'test/credentials/providers/sdk-isolation': 19,
  'test/e2e/console/embedding': 18,
  'test/app/command': 16,
  'test/e2e/answers/heavy-queries': 16,
  'test/e2e/start-faults': 15,
  'test/graphql/federation/': 15,
  'test/e2e/federation/': 14,
  'test/session/session-model': 13,
  'test/e2e/sessions/redis-failover': 13,
  'test/e2e/operations/': 12,
  'test/e2e/sessions/cookie-age': 12,
  'test/e2e/sessions/two-instances': 12,
  'test/e2e/console/': 12,
  'test/credentials/providers/secret-manager': 11,
  'test/load/unread-answers': 10,
  'raw-answers': 9,
  'many-users': 9,
  'test/e2e/logins/logins-at-once': 9,
});

/**
 * Starts the longest specs first, so that all workers end together. A fresh clone has no times of its own, without
 * which Vitest goes by the size of the files, and a long one may come last.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted;
    return sorted.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

function secondsOf({ moduleId }: TestSpecification): number {
  return SECONDS.find(([start]) => moduleId.includes(start))?.[1] ?? 0;
}
