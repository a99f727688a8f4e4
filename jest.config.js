/**
 * Contract, fault and race tests: folders and files under test/. `npm test` runs them with rules in workflows, as everything
 * else, and `npm run test:door` runs them with rules at the door.
 */
const IN_BOTH_MODES = [
  'api/requests',
  'api/pipelines',
  'api/escalation/team-escalation-policy-requests.test.ts',
  'api/notifications/slack-announcements.test.ts',
  'api/notifications/slack-decisions.test.ts',
  'api/notifications/slack-messages.test.ts',
  'api/organization/organization-deletion.test.ts',
  'api/people/ended-credentials.test.ts',
  'faults',
  'services/notifications',
  'workflows/bursts.test.ts',
  'workflows/escalation.test.ts',
  'workflows/interference.test.ts',
  'workflows/levels.test.ts',
  'workflows/long-paths.test.ts',
];
const inBothModes = IN_BOTH_MODES.map(
  (path) => `**/test/${path}${path.endsWith('.ts') ? '' : '/**/*.test.ts'}`,
);

/** Parallel files over cloned template databases and one shared Temporal server (test/support/run/global-setup.ts). */
export default {
  testEnvironment: '<rootDir>/test/support/runner/environment.js',
  testRunner: '<rootDir>/test/support/runner/test-runner.js',
  roots: ['<rootDir>/test'],
  testMatch: process.env.TEST_RULES === 'door' ? inBothModes : ['**/*.test.ts'],
  // `npm run pictures` runs it alone.
  testPathIgnorePatterns: process.env.TEST_PICTURES ? [] : ['/test/docs/pictures.test.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  // For global setup and teardown. Tests run what the former compiles.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/run/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/run/global-teardown.ts',
  reporters: [
    '<rootDir>/test/support/run/file-reporter.js',
    'summary',
    '<rootDir>/test/support/run/summary-reporter.js',
  ],
  testSequencer: '<rootDir>/test/support/run/sequencer.js',
  // More than the cores, because several files mostly wait for minutes and processes.
  maxWorkers: 6,
  // A limit for tests that hang on a busy machine, not a measure of speed.
  testTimeout: 300_000,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};
