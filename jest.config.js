/**
 * Folders and files under test/ whose outcome can depend on where rules run: creating a request, its first step, its
 * hand-over, the caps, waits, repeats, faults and races. `npm test` runs them with rules in workflows, as everything else, and
 * `npm run test:door` runs them with rules at the door. What follows a hand-over is the same in both modes.
 */
const IN_BOTH_MODES = [
  'api/requests/aap/approval-requests-create.test.ts',
  'api/requests/aap/credentials.test.ts',
  'api/requests/aap/deployments.test.ts',
  'api/requests/aap/outcomes.test.ts',
  'api/requests/approval-requests-decision-races.test.ts',
  'api/requests/approval-requests-detail.test.ts',
  'api/requests/caps',
  'api/requests/ended-agents.test.ts',
  'api/requests/ended-credentials.test.ts',
  'api/requests/hand-over.test.ts',
  'api/requests/late-workflows.test.ts',
  'api/requests/pinned-revisions.test.ts',
  'api/requests/queue/changes.test.ts',
  'api/requests/unreachable/unreachable-notices.test.ts',
  'api/requests/unreachable/unreachable-requests-races.test.ts',
  'api/requests/vanished-targets.test.ts',
  'api/pipelines/branches.test.ts',
  'api/pipelines/judge-blocks.test.ts',
  'api/pipelines/judge-editions.test.ts',
  'api/pipelines/webhook-blocks.test.ts',
  'api/escalation/team-escalation-policy-requests.test.ts',
  'api/organization/organization-deletion.test.ts',
  'faults',
  'services/notifications/send-loop.test.ts',
  'workflows/bursts.test.ts',
  'workflows/escalation.test.ts',
  'workflows/interference.test.ts',
];
const inBothModes = IN_BOTH_MODES.map(
  (path) => `**/test/${path}${path.endsWith('.ts') ? '' : '/**/*.test.ts'}`,
);
/** Files of these folders that choose the mode themselves. */
const OF_ONE_MODE = ['pgbouncer', 'remote-block-ends', 'switched-database'].map(
  (name) => `/test/faults/${name}.test.ts$`,
);
const atTheDoor = process.env.TEST_RULES === 'door';

/** Parallel files over cloned template databases and one shared Temporal server (test/support/run/global-setup.ts). */
export default {
  testEnvironment: '<rootDir>/test/support/runner/environment.js',
  testRunner: '<rootDir>/test/support/runner/test-runner.js',
  roots: ['<rootDir>/test'],
  testMatch: atTheDoor ? inBothModes : ['**/*.test.ts'],
  // `npm run pictures` runs it alone.
  testPathIgnorePatterns: [
    ...(process.env.TEST_PICTURES ? [] : ['/test/docs/pictures.test.ts$']),
    ...(atTheDoor ? OF_ONE_MODE : []),
  ],
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
