/**
 * Which layer may import what (ARCHITECTURE.md). Each layer lists its doors: our own code and the
 * packages that it may import. Everything else is an error, and `door` names the right way. Types
 * count as imports.
 */
const TEMPORAL = ['@temporalio/[^/]+'];
const HTTP = ['koa', 'koa-[^/]+', '@koa/[^/]+'];
const SQL = ['knex', 'pg'];
const EVERY_LAYER =
  '^(src/[a-z]+|api|workflows|activities|temporal|migrations|demo|bin|bench|test|web/src)/';

/**
 * - `ours`: our other code that it may import; `typesOf`: of these, types only.
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
    typesOf: ['workflows/approval-request/contract.ts'],
    not: [...TEMPORAL, ...HTTP, ...SQL],
    door: 'services call data for SQL, and know Temporal and HTTP only through services/ports.ts.',
  },
  api: {
    ours: ['src/services/', 'src/domain/', 'src/platform/'],
    not: [...TEMPORAL, ...SQL],
    door: 'api calls a service; SQL and Temporal stay behind it.',
  },
  workflows: {
    // No code of ours, so that none of Node's modules is reachable: the sandbox of workflows has none.
    ours: [],
    typesOf: ['activities/', 'src/domain/'],
    only: ['@temporalio/workflow', '@temporalio/common'],
    door: "a workflow is deterministic: it imports @temporalio/workflow, types of activities and domain, and reaches none of Node's modules.",
  },
  activities: {
    // The contract has no code, only the words that both sides use.
    ours: [
      'src/services/',
      'src/domain/',
      'src/platform/',
      'workflows/approval-request/contract.ts',
    ],
    only: ['@temporalio/activity', '@temporalio/common'],
    door: 'an activity calls one service or sender.',
  },
  temporal: {
    ours: [
      'src/services/ports.ts',
      'src/domain/',
      'src/platform/',
      'workflows/approval-request/contract.ts',
    ],
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
    ours: ['src/platform/', 'src/local/', 'temporal/ids.ts'],
    not: [...TEMPORAL, ...SQL],
    door: 'the demo uses the service from outside, over HTTP.',
  },
  'web/src': {
    ours: [
      'src/platform/json/exact-json.ts',
      'src/platform/json/decimals.ts',
      'src/platform/json/source-values.ts',
      'src/domain/durations.ts',
      'src/domain/shown-text.ts',
      'src/domain/shown/',
      'src/domain/web-pages.ts',
    ],
    only: [
      'react',
      'react-dom',
      '@mantine/[^/]+',
      '@tanstack/[^/]+',
      'openapi-fetch',
      'openapi-typescript-helpers',
      '@noble/hashes',
      'diff',
      'uqr',
      'uuid',
    ],
    door: 'the web app runs in browsers and uses the API over HTTP: it imports exact JSON, decimals, source values, durations, how calls are shown and its list of pages, and packages made for browsers.',
  },
  bin: {
    ours: ['src/', 'api/', 'workflows/', 'activities/', 'temporal/', 'migrations/'],
    not: [],
    door: 'bin puts the service together: it imports everything the service is made of, and no test, demo or benchmark.',
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
    'live',
    'page',
    'forms',
    'session',
  ],
  'web/src/areas/requests': ['call', 'people', 'timeline', 'decision', 'queue', 'request'],
};

const PACKAGE = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'core'];
const TYPE = ['type-only'];

/**
 * A package by its name. npm packages resolve below node_modules, Node's own to their bare name.
 */
const packagePattern = (names) =>
  `^(${names
    .map((name) =>
      name.startsWith('node:') ? `${name.slice(5)}$` : `node_modules/(@types/)?${name}/`,
    )
    .join('|')})`;

const rule = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });
const startsWith = (paths) => `^(${paths.join('|').replaceAll('.', '\\.')})`;

function rulesOf([layer, { ours, typesOf = [], only, not, door }]) {
  const from = { path: `^${layer}/` };
  const allowed = [`${layer}/`, ...ours];
  const name = layer.replace(/src\/|\/src/, '');
  const packages = only ? { pathNot: packagePattern(only) } : { path: packagePattern(not) };
  return [
    rule(`${name}-imports-ours`, door, from, {
      path: EVERY_LAYER,
      pathNot: startsWith([...allowed, ...typesOf]),
    }),
    ...typesOf.map((folder) =>
      rule(`${name}-imports-types-only`, `Import types only of ${folder}: ${door}`, from, {
        path: `^${folder}`,
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
  evaluation: ['evaluation', 'pipelines'],
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
      {},
      { couldNotResolve: true },
    ),
    rule(
      'undeclared-package',
      'Name the package in package.json; another package brings it in by chance.',
      {},
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
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
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    cache: { folder: 'node_modules/.cache/dependency-cruiser', strategy: 'metadata' },
  },
};
