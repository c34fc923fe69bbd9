/** Native ES modules under jest: swc strips the types, node runs what is left. The library is taken from its source. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test', '<rootDir>/packages/portico/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^portico/(client|credentials|embedded-platform|errors)$': '<rootDir>/packages/portico/src/$1/index.ts',
  },
  testSequencer: '<rootDir>/test/support/order/longest-first.js',
  // Jest would leave one core to a person who works meanwhile, so that two cores would do the work of one.
  maxWorkers: '100%',
  // Long enough for a machine that is busy with other things: what must be quick is shown by other means.
  testTimeout: 90_000,
  reporters: ['default', '<rootDir>/test/support/closing-report.js'],
};
