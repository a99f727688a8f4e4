import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

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
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      'no-console': 'error',
    },
  },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', 500] } },
  // A migration is one statement of SQL, whose length is that of the schema.
  { files: ['migrations/**/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['bin/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: [
      '*.config.js',
      '.dependency-cruiser.js',
      'test/support/run/global-{setup,teardown}.ts',
      'test/support/run/{summary-reporter,sequencer}.js',
      'test/support/runner/*.js',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
