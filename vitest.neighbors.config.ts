import { mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** Tests with programs of others that are installed for them: gateways, clients, the packed packages. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  { test: { include: ['test/**/*.neighbor-spec.ts', 'packages/portico/test/**/*.neighbor-spec.ts'] } },
);
