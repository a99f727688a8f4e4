/**
 * Which layer may import what (ARCHITECTURE.md). Each layer lists its doors: our own code and the
 * packages that it may import. Everything else is an error, and `door` names the right way. Types
 * count as imports.
 */
const TEMPORAL = ['@temporalio/[^/]+'];
const HTTP = ['koa', 'koa-[^/]+', '@koa/[^/]+'];
const SQL = ['knex', 'pg'];
const WORKFLOW_CONTRACT = 'src/domain/requests/workflow-contract.ts';
/** What imports agent frameworks, which only the run of their tests installs. The compiler looks at it there. */
const WITH_FRAMEWORKS = '^(sdk/typescript/src/adapters|test/sdk/frameworks)/';
const EVERY_LAYER =
  '^(src/[a-z]+|api|workflows|activities|temporal|migrations|demo|bin|bench|test|web/src|sdk/typescript/src|sdk/hook/src)/';

/**
 * - `ours`: our other code that it may import; `typesOf`: of these, types only.
 * - `apart`: a folder in it that is a layer of its own, which it does not import.
 * - `only`: the only packages that it may import. Without it, all except those in `not`.
 */
const layers = {
  'src/platform': {
    ours: [],
    not: [...TEMPORAL, 'koa', 'koa-[^/]+', '@koa/[^/]+'],
    door: 'platform holds no product words: it imports npm and node only.',
  },
  'src/local': {
    ours: ['src/platform/'],
    not: [...HTTP, 'knex'],
    door: 'local holds the servers of one machine: it imports platform, npm and node only.',
  },
  'src/domain': {
    ours: [
      'src/platform/json/exact-json.ts',
      'src/platform/json/exact-values.ts',
      'src/platform/json/source-values.ts',
    ],
    only: ['zod', 'luxon', 'cel-js', 're2js', 'node:crypto'],
    door: 'domain is pure: take what you need as an argument. It imports itself, zod, luxon, cel-js, re2js, platform/json/exact-json, platform/json/exact-values, platform/json/source-values and node:crypto.',
  },
  'src/data': {
    ours: ['src/domain/', 'src/platform/'],
    not: [...TEMPORAL, ...HTTP],
    door: 'data speaks SQL: it imports domain, platform and knex.',
  },
  'src/services': {
    ours: ['src/data/', 'src/domain/', 'src/platform/'],
    not: [...TEMPORAL, ...HTTP, ...SQL],
    door: 'services call data for SQL, and know Temporal and HTTP only through services/ports.ts.',
  },
  api: {
    ours: ['src/services/', 'src/domain/', 'src/platform/'],
    not: [...TEMPORAL, ...SQL],
    door: 'api calls a service; it alone knows SQL and Temporal.',
  },
  workflows: {
    // Only code that imports nothing, so that none of Node's modules is reachable: the sandbox of workflows has none.
    ours: [WORKFLOW_CONTRACT],
    typesOf: ['activities/', 'src/domain/'],
    only: ['@temporalio/workflow', '@temporalio/common'],
    door: "a workflow is deterministic: it imports @temporalio/workflow, its contract, types of activities and domain, and reaches none of Node's modules.",
  },
  activities: {
    ours: ['src/services/', 'src/domain/', 'src/platform/'],
    only: ['@temporalio/activity', '@temporalio/common'],
    door: 'an activity calls one service or sender.',
  },
  temporal: {
    ours: ['src/services/ports.ts', 'src/domain/', 'src/platform/'],
    typesOf: ['activities/'],
    not: [...SQL, ...HTTP],
    door: "temporal implements the services' ports; it touches neither SQL nor HTTP.",
  },
  migrations: {
    ours: [],
    only: ['knex'],
    door: 'a migration stays as it is when code changes: it imports knex only.',
  },
  demo: {
    ours: ['sdk/typescript/src/'],
    only: ['node:(fs|timers)/promises'],
    door: 'the demo uses the service from outside, with the SDK or over HTTP.',
  },
  'sdk/typescript/src': {
    ours: [],
    apart: 'sdk/typescript/src/adapters/',
    only: ['node:(crypto|fs|http|https|os|path)', 'node:(fs|timers)/promises'],
    door: 'the SDK is a package of its own without dependencies: it imports itself and node only, and no adapter.',
  },
  'sdk/typescript/src/adapters': {
    ours: ['sdk/typescript/src/'],
    only: [
      'ai',
      '@openai/agents',
      'langchain',
      '@langchain/core',
      'zod',
      '@anthropic-ai/claude-agent-sdk',
      '@modelcontextprotocol/(client|server|node)',
      'node:[a-z_/]+',
    ],
    door: 'an adapter of the SDK imports the SDK, node and its framework, with the schemas that it takes, which users install.',
  },
  'sdk/hook/src': {
    ours: ['sdk/typescript/src/'],
    only: ['node:[^/]+(/promises)?', 'jsonc-parser'],
    door: 'the hook is one file that is bundled of the SDK, jsonc-parser and node.',
  },
  'web/src': {
    ours: [
      'src/platform/json/exact-json.ts',
      'src/platform/json/exact-values.ts',
      'src/platform/json/json-tokens.ts',
      'src/platform/json/decimals.ts',
      'src/platform/json/source-values.ts',
      'src/platform/json/source-tree.ts',
      'src/domain/durations.ts',
      'src/domain/escalation/weekly-hours.ts',
      'src/domain/shown-text.ts',
      'src/domain/shown/',
      'src/domain/web-pages.ts',
      'src/domain/audit/event-sentences.ts',
      'src/domain/audit/policy-sentences.ts',
      'src/domain/audit/filters.ts',
      'src/domain/audit/sentences/',
      'src/domain/conditions/sentences.ts',
      'src/domain/conditions/apply-operator.ts',
      'src/domain/conditions/operators.ts',
      'src/domain/conditions/fields.ts',
      'src/domain/conditions/types.ts',
      'src/domain/notifications/steps.ts',
      'src/domain/pipelines/sentences.ts',
      'src/domain/pipelines/diff.ts',
      'src/domain/pipelines/simulated-changes.ts',
      'src/domain/pipelines/warnings/',
    ],
    typesOf: ['src/domain/conditions/document.ts', 'src/domain/pipelines/types.ts'],
    only: [
      'react',
      'react-dom',
      '@tanstack/[^/]+',
      'openapi-fetch',
      'openapi-typescript-helpers',
      '@noble/hashes',
      'codemirror',
      '@codemirror/[^/]+',
      '@lezer/highlight',
      'diff',
      'uqr',
      'uuid',
    ],
    door: 'the web app runs in browsers and uses the API over HTTP: it imports exact JSON, decimals, source values, durations, how calls and rules are shown, and its list of pages, and packages made for browsers.',
  },
  'bin/configuration': {
    ours: ['src/domain/', 'src/platform/', 'bin/describe-failure.ts'],
    not: [...TEMPORAL, ...HTTP, ...SQL],
    door: 'configuration as code calls the API with a key, as any client does: it imports domain, platform and itself.',
  },
  'bin/configuration/documents': {
    ours: ['src/domain/', 'src/platform/json/'],
    only: ['yaml', 'zod', 'uuid', 'node:crypto'],
    door: 'documents of the configuration are pure: they import domain, exact JSON, yaml, zod, uuid and node:crypto.',
  },
  bin: {
    ours: [
      'src/',
      'api/',
      'workflows/',
      'activities/',
      'temporal/',
      'migrations/',
      'sdk/typescript/src/',
    ],
    not: [],
    door: 'bin puts the service together: it imports everything the service is made of and the SDK, and no test, demo or benchmark.',
  },
};

/** Folders of the web app that need each other's code: each imports those before it, and types of all. */
const webRooms = {
  'web/src/shared': [
    'text',
    'browser',
    'api',
    'design',
    'exact',
    'call',
    'schedule',
    'live',
    'page',
    'forms',
    'session',
    'secrets',
    'routes',
    'editor',
    'conditions',
    'access',
  ],
  'web/src/areas/requests': ['call', 'people', 'timeline', 'decision', 'queue', 'request'],
};

const PACKAGE = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'core'];
const TYPE = ['type-only'];

/**
 * A package by its name. npm packages resolve below node_modules, Node's own to their bare name.
 */
const packagePattern = (names) =>
  `(${names
    .map((name) =>
      name.startsWith('node:') ? `^${name.slice(5)}$` : `(^|/)node_modules/(@types/)?${name}/`,
    )
    .join('|')})`;

const rule = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });
const startsWith = (paths) => `^(${paths.join('|').replaceAll('.', '\\.')})`;

function rulesOf([layer, { ours, typesOf = [], apart, only, not, door }]) {
  const from = { path: `^${layer}/`, ...(apart && { pathNot: startsWith([apart]) }) };
  const allowed = [`${layer}/`, ...ours];
  const name = layer.replace(/src\/|\/src/, '');
  const packages = only ? { pathNot: packagePattern(only) } : { path: packagePattern(not) };
  return [
    rule(`${name}-imports-ours`, door, from, {
      path: EVERY_LAYER,
      pathNot: startsWith([...allowed, ...typesOf]),
    }),
    ...(apart ? [rule(`${name}-imports-apart`, door, from, { path: startsWith([apart]) })] : []),
    ...typesOf.map((folder) =>
      rule(`${name}-imports-types-only`, `Import types only of ${folder}: ${door}`, from, {
        path: `^${folder}`,
        pathNot: startsWith(allowed),
        dependencyTypesNot: TYPE,
      }),
    ),
    ...(only || not.length > 0
      ? [rule(`${name}-imports-packages`, door, from, { ...packages, dependencyTypes: PACKAGE })]
      : []),
  ];
}

/** Within the web app, `app` imports areas, and areas import what they share (CONTRIBUTING.md). */
const webRules = [
  ['web-shared-imports-itself', 'web/src/shared/', 'web/src/shared/'],
  ['web-area-imports-itself-and-shared', 'web/src/areas/([^/]+)/', 'web/src/(areas/$1|shared)/'],
].map(([name, from, own]) =>
  rule(
    name,
    'In web/src, areas do not import each other, and shared imports neither areas nor app: move what two need to shared.',
    { path: `^${from}` },
    { path: '^web/src/', pathNot: `^${own}` },
  ),
);

const roomRules = ([parent, rooms]) =>
  rooms.slice(0, -1).map((room, index) =>
    rule(
      'web-room-imports-earlier-ones',
      `The folders of ${parent} import in this order: ${rooms.join(', ')}.`,
      { path: `^${parent}/${room}/` },
      {
        path: `^${parent}/(${rooms.slice(index + 1).join('|')})/`,
        dependencyTypesNot: TYPE,
      },
    ),
  );

/** Rooms of services that every area needs, and which other rooms each may import. */
const serviceRooms = {
  access: ['access'],
  evaluation: ['evaluation', 'revisions'],
  engine: ['engine', 'access', 'evaluation', 'escalation', 'pipelines'],
};

const serviceRules = Object.entries(serviceRooms).map(([room, allowed]) =>
  rule(
    'services-room-imports-lower-ones',
    'access, evaluation and engine serve every area, so they import few: move what you need below them.',
    { path: `^src/services/${room}/` },
    {
      path: '^src/services/[^/]+/',
      pathNot: `^src/services/(${allowed.join('|')})/`,
      dependencyTypesNot: TYPE,
    },
  ),
);

export default {
  forbidden: [
    ...Object.entries(layers).flatMap(rulesOf),
    rule(
      'workflow-contract-imports-types-only',
      "What the contract imports runs in the sandbox of workflows, which has none of Node's modules: import types only.",
      { path: startsWith([WORKFLOW_CONTRACT]) },
      { dependencyTypesNot: TYPE },
    ),
    ...serviceRules,
    ...webRules,
    ...Object.entries(webRooms).flatMap(roomRules),
    rule(
      'circle',
      'Two files that need each other are one file, or need a third: move what both use there. Types count.',
      {},
      { circular: true },
    ),
    rule(
      'unknown-file',
      'The file does not exist. An import names the file with its extension, .ts.',
      { pathNot: WITH_FRAMEWORKS },
      { couldNotResolve: true },
    ),
    rule(
      'undeclared-package',
      'Name the package in package.json; another package brings it in by chance.',
      // Jest comes from the root.
      { pathNot: '^test/sdk/frameworks/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),
    rule(
      'development-package',
      'The service runs without development packages: move it to dependencies.',
      { path: '^(src|api|workflows|activities|temporal|migrations|demo)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: TYPE, pathNot: 'node_modules/@types/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Its packages are installed by `npm run docs` alone.
    exclude: { path: '^bin/build/site/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    cache: { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'metadata' },
  },
};
