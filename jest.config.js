/** Parallel files over cloned template databases and one shared Temporal server (test/support/run/global-setup.ts). */
export default {
  testEnvironment: '<rootDir>/test/support/runner/environment.js',
  testRunner: '<rootDir>/test/support/runner/test-runner.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/run/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/support/run/summary-reporter.js'],
  testSequencer: '<rootDir>/test/support/run/sequencer.js',
  // More than the cores, because several files mostly wait for minutes and processes.
  maxWorkers: 6,
  // A limit for tests that hang on a busy machine, not a measure of speed.
  testTimeout: 300_000,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};
