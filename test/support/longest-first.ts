import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that the longest take on two cores. What is not here takes less, and comes in Vitest's own order. The first that
 * matches counts.
 */
const SECONDS = Object.entries({
  'test/e2e/federation/commands': 50,
  'test/e2e/chaos': 41,
  'test/e2e/edge/shipped-balancers': 38,
  'test/e2e/console/page': 35,
  'test/e2e/rolling': 35,
  'test/e2e/sessions/operator-sessions': 35,
  'test/packaging/consumers': 30,
  'test/packaging/service-package': 30,
  'test/session/store/redis-sentinel': 26,
  'test/e2e/sessions/store-file': 25,
  'test/e2e/service-process': 20,
  'test/e2e/console/embedding': 19,
  'test/app/command': 18,
  'test/credentials/providers/sdk-isolation': 18,
  'test/e2e/sessions/renewed-on-two-instances': 16,
  'test/e2e/answers/heavy-queries': 16,
  'test/graphql/federation/': 15,
  'test/e2e/edge/proxies': 14,
  'test/e2e/federation/': 14,
  'test/e2e/sessions/redis-start': 13,
  'test/session/store/redis-cluster': 13,
  'test/e2e/operations/': 12,
  'test/e2e/start-': 12,
  'test/e2e/console/': 12,
  'test/credentials/providers/secret-manager': 11,
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
