import { mergeConfig } from 'vitest/config';
import tests from '../../vitest.config.js';

const { ROOM } = process.env;

/** The specs of one room. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  { test: { include: [`test/${ROOM}/**/*.spec.ts`, `packages/portico/test/${ROOM}/**/*.spec.ts`] } },
);
