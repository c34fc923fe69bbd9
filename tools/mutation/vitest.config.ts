import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import tests from '../../vitest.config.js';
import { warmPool } from './warm-pool.js';

const { ROOM } = process.env;

/** It reads the sources as text, and Stryker has changed that. */
const READER_OF_SOURCES = 'test/config/settings-in-use.spec.ts';

/** The first test that fails ends a run. */
class QuickestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const took = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return Promise.resolve(files.toSorted((one, other) => took(one) - took(other)));
  }
}

/** The specs of one room. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [], reporters: [] } },
  {
    plugins: [
      {
        name: 'warm-pool',
        // Stryker chooses the pool, and only from Vitest's own.
        configureVitest({ project }: { project: { config: object } }) {
          Object.assign(project.config, { pool: warmPool.name, poolRunner: warmPool });
        },
      },
    ],
    test: {
      include: [`test/${ROOM}/**/*.spec.ts`, `packages/portico/test/${ROOM}/**/*.spec.ts`],
      exclude: [READER_OF_SOURCES],
      setupFiles: ['tools/mutation/unchanged.ts'],
      sequence: { sequencer: QuickestFirst },
    },
  },
);
