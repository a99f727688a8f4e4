import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom (ARCHITECTURE.md). Each entry forbids the doors a folder may not use and names the right one.
 * A pattern matches the import specifier as written; relative specifiers always end in `.ts`.
 */
const TEMPORAL = ['@temporalio/*', '@temporalio/**'];
const HTTP = ['koa', '@koa/*', 'koa-*'];
const SQL = ['knex', 'pg', 'pg/*'];
const folder = (name) => [`**/${name}/*`, `**/${name}/**`];
const deny = (group, message) => ({ group, message });

const layers = {
  'src/platform': [
    deny(
      [...folder('domain'), ...folder('data'), ...folder('services')],
      'platform holds no product words: it imports npm and node only.',
    ),
    deny(
      [
        ...folder('api'),
        ...folder('workflows'),
        ...folder('activities'),
        ...folder('temporal'),
        ...folder('bin'),
      ],
      'platform imports npm and node only.',
    ),
  ],
  'src/local': [
    deny(
      [
        ...folder('domain'),
        ...folder('data'),
        ...folder('services'),
        ...folder('api'),
        ...folder('workflows'),
        ...folder('activities'),
      ],
      'local holds the servers of one machine: it imports platform, npm and node.',
    ),
  ],
  'src/domain': [
    deny(
      [
        ...folder('data'),
        ...folder('services'),
        ...folder('api'),
        ...folder('workflows'),
        ...folder('activities'),
        ...folder('temporal'),
      ],
      'domain is pure: it imports itself, luxon, cel-js, re2js, platform/exact-json.',
    ),
    deny(
      ['**/platform/*', '!**/platform/exact-json.ts'],
      'of platform, domain may import exact-json only.',
    ),
    deny(
      [...TEMPORAL, ...HTTP, ...SQL, 'zod', 'pino', 'node:*', '!node:crypto'],
      'domain does no I/O: take what you need as an argument.',
    ),
  ],
  'src/data': [
    deny(
      [
        ...folder('services'),
        ...folder('api'),
        ...folder('workflows'),
        ...folder('activities'),
        ...folder('temporal'),
      ],
      'data imports domain, platform and knex only.',
    ),
    deny([...TEMPORAL, ...HTTP], 'data speaks SQL only.'),
  ],
  'src/services': [
    deny(
      [...folder('api'), ...folder('workflows'), ...folder('activities'), ...folder('temporal')],
      'services know Temporal and HTTP only through services/ports.ts.',
    ),
    deny([...TEMPORAL, ...HTTP], 'services know Temporal and HTTP only through services/ports.ts.'),
    deny(SQL, 'services call data; SQL stays behind it.'),
  ],
  api: [
    deny(folder('data'), 'api calls a service; SQL stays behind it.'),
    deny(
      [...folder('workflows'), ...folder('activities'), ...folder('temporal'), ...TEMPORAL, ...SQL],
      'api calls a service; Temporal and SQL stay behind it.',
    ),
  ],
  workflows: [
    deny(
      [
        ...folder('data'),
        ...folder('services'),
        ...folder('platform'),
        ...folder('api'),
        ...folder('temporal'),
      ],
      'a workflow is deterministic: @temporalio/workflow, pure domain, types of activities.',
    ),
    deny(
      [
        '@temporalio/client',
        '@temporalio/worker',
        '@temporalio/activity',
        ...HTTP,
        ...SQL,
        'node:*',
      ],
      'a workflow is deterministic: @temporalio/workflow, pure domain, types of activities.',
    ),
  ],
  activities: [
    deny(
      [
        ...folder('data'),
        ...folder('api'),
        '**/workflow.ts',
        '**/workflows/index.ts',
        ...SQL,
        ...HTTP,
      ],
      'an activity calls one service or sender.',
    ),
  ],
  demo: [
    deny(
      [
        ...folder('data'),
        ...folder('services'),
        ...folder('domain'),
        ...folder('workflows'),
        ...folder('activities'),
        ...TEMPORAL,
        ...SQL,
      ],
      'the demo uses the service from outside, over HTTP.',
    ),
  ],
  temporal: [
    deny(
      [...folder('data'), ...folder('api'), ...SQL, ...HTTP],
      "temporal implements the services' ports; it touches neither SQL nor HTTP.",
    ),
  ],
};

const sources = [
  'src/**/*.ts',
  'api/**/*.ts',
  'workflows/**/*.ts',
  'activities/**/*.ts',
  'temporal/**/*.ts',
  'migrations/**/*.ts',
  'bin/**/*.ts',
  'bench/**/*.ts',
  'demo/**/*.ts',
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.countersign/', 'coverage/'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  prettier,
  {
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
      ],
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: sources,
    rules: {
      'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 95, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      'no-console': 'error',
    },
  },
  // A migration is one statement of SQL: its length is that of the schema.
  { files: ['migrations/**/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['bin/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: [
      '*.config.js',
      'test/support/run/global-{setup,teardown}.ts',
      'test/support/run/{summary-reporter,sequencer}.js',
      'test/support/runner/*.js',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  ...Object.entries(layers).map(([path, patterns]) => ({
    files: [`${path}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  })),
);
