/**
 * The tier of a test file is in its name: `x.test.ts` is quick, `x.full.test.ts` full, `x.night.test.ts` for the night. All of a
 * run share one Postgres and one Temporal server (test/support/run/global-setup.ts).
 */
export default {
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  injectGlobals: false,
  testRunner: '<rootDir>/test/support/run/runner.js',
  extensionsToTreatAsEsm: ['.ts'],
  // For global setup and teardown. Tests run what the former compiles.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/run/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/support/run/summary-reporter.js'],
  maxWorkers: '100%',
  testTimeout: 60_000,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};
