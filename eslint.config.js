import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
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
  'sdk/typescript/src/**/*.ts',
  'sdk/hook/src/**/*.ts',
  'web/**/*.{ts,tsx}',
];

const namedExportsOnly = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only.',
};

/** What would change digits, run foreign text, or need inline styles that the page's policy refuses. */
const unsafeInWeb = [
  {
    selector: "MemberExpression[object.name='JSON'][property.name='parse']",
    message: 'JSON.parse changes digits: use call() of shared/api/api.ts, or parseExact.',
  },
  {
    selector: "CallExpression[callee.property.name='json'][arguments.length=0]",
    message: '.json() changes digits: use call() of shared/api/api.ts.',
  },
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: 'Foreign text is never markup.',
  },
  {
    selector: "JSXAttribute[name.name='href'] > JSXExpressionContainer",
    message: 'A link to foreign text may run it. Use <Link>, or a literal.',
  },
];

export default tseslint.config(
  {
    ignores: [
      'web/src/shared/api/openapi.d.ts',
      '**/dist/',
      'node_modules/',
      '.countersign/',
      'coverage/',
    ],
  },
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
      'no-restricted-syntax': ['error', namedExportsOnly],
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
  {
    files: ['web/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    languageOptions: { globals: { document: 'readonly', window: 'readonly', console: 'off' } },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'no-undef': 'off',
      'no-restricted-syntax': ['error', namedExportsOnly, ...unsafeInWeb],
    },
  },
  { files: ['test/**/*.ts'], rules: { 'max-lines': ['error', 500] } },
  // A migration is one statement of SQL, whose length is that of the schema.
  { files: ['migrations/**/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['bin/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: [
      '*.config.js',
      'web/vite.config.ts',
      'bin/build/site/.vitepress/config.js',
      '.dependency-cruiser.js',
      'test/support/run/global-{setup,teardown}.ts',
      'test/support/run/{runner,summary-reporter}.js',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
