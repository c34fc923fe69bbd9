import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that the longest took on two cores. What is not here takes less, and comes in Jest's own order. */
const SECONDS = Object.entries({
  'test/e2e/federation/commands': 50,
  'test/session/store/redis-failover': 48,
  'test/e2e/edge/shipped-balancers': 47,
  'examples/nest-host/test/many-users': 46,
  'test/e2e/console/': 45,
  'test/e2e/service-process': 45,
  'test/e2e/sessions/operator-sessions': 43,
  'test/e2e/start-faults': 41,
  'test/app/command': 39,
  'test/packaging/': 30,
  'test/e2e/sessions/store-file': 27,
  'test/e2e/sessions/many-users': 25,
  'test/session/session-interleavings': 20,
  'test/e2e/answers/heavy-queries': 19,
  'test/e2e/operations/output': 18,
  'test/e2e/edge/fuzz': 16,
  'test/graphql/federation/': 15,
  'test/e2e/federation/': 14,
  'test/credentials/providers/sdk-isolation': 13,
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
