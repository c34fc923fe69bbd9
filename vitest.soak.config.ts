import { mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** The long tests, one after the other: `npm run soak` and `npm run chaos`. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  { test: { include: ['test/soak/*.soak.ts'], maxWorkers: 1 } },
);
