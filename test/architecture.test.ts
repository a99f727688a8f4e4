/**
 * Rules for files that neither the linter nor the compiler checks, and tests of the import rules.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { issueCodes } from '../src/domain/issue-codes.ts';
import { packageRoot } from '../src/platform/package-root.ts';

const root = packageRoot();
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const folders = [
  'src/platform',
  'src/local',
  'src/domain',
  'src/data',
  'src/services',
  'api',
  'workflows',
  'activities',
  'temporal',
  'migrations',
  'demo',
  'sdk/typescript',
  'sdk/hook',
  'bin',
  'bench',
  'web',
  'test',
];
const folderOf = (file: string) => folders.find((folder) => file.startsWith(`${folder}/`));
const isSource = (file: string) => /\.tsx?$/.test(file);
const sources = tracked.filter((file) => isSource(file) && folderOf(file) !== undefined);

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
}

/**
 * The rules that dependency-cruiser finds broken, by file, in a tree of these files with our
 * configuration and packages.
 */
function brokenRules(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-imports-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.js'])
      writeFileSync(join(directory, file), read(file));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), text);
    }
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        ...['--no-cache', '--output-type', 'json', '--preserve-symlinks'],
        ...new Set(Object.keys(files).map((file) => file.split('/')[0] ?? '')),
      ],
      { cwd: directory, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    if (stdout === '') throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
    const broken: Record<string, string[]> = {};
    for (const { rule, from } of summary.violations) (broken[from] ??= []).push(rule.name);
    return broken;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe('import rules', () => {
  const allowed = {
    'src/platform/json/exact-json.ts': "import 'pino';\nexport const exact = 1;\n",
    'src/local/lock.ts': "import '../platform/json/exact-json.ts';\nimport 'node:fs';\n",
    'src/domain/errors.ts':
      "import 'zod';\nimport 'luxon';\nimport 'node:crypto';\nimport '../platform/json/exact-json.ts';\n",
    'src/data/teams.ts': "import 'knex';\nimport '../domain/errors.ts';\nexport const teams = 1;\n",
    'src/services/teams.ts': "import '../data/teams.ts';\nexport type Teams = 1;\n",
    'src/services/engine/step.ts': "import '../evaluation/rules.ts';\nexport const step = 1;\n",
    'src/services/evaluation/rules.ts': 'export const rules = 1;\n',
    'src/services/requests/claims.ts': "import '../engine/step.ts';\n",
    'src/domain/pipelines/types.ts': "import 'zod';\nexport type Block = 1;\n",
    'src/domain/states.ts': "import 'zod';\nexport type State = 'approved';\n",
    'src/services/ports.ts':
      "import type { STATES } from '../domain/requests/workflow-contract.ts';\nexport type State = (typeof STATES)[number];\n",
    'api/teams.ts': "import 'koa';\nimport '../src/services/teams.ts';\n",
    'activities/index.ts': "import '../src/services/teams.ts';\nexport type Activities = 1;\n",
    'workflows/request.ts':
      "import '@temporalio/workflow';\nimport '../src/domain/requests/workflow-contract.ts';\nimport type { Activities } from '../activities/index.ts';\nexport type Request = Activities;\n",
    'temporal/worker.ts':
      "import '@temporalio/worker';\nimport type { Activities } from '../activities/index.ts';\nexport type Worker = Activities;\n",
    'web/src/app/main.ts':
      "import '../areas/account/account.ts';\nimport '../shared/session/session.ts';\n",
    'web/src/areas/account/account.ts':
      "import '../../shared/session/session.ts';\nimport type { Block } from '../../../../src/domain/pipelines/types.ts';\nexport type Account = Block;\n",
    'web/src/areas/audit/events.ts': 'export type Events = 1;\n',
    'web/src/shared/session/session.ts': "import '../text/session.ts';\nexport type Session = 1;\n",
    'web/src/shared/session/other.ts': 'export type Session = 1;\n',
    // Types may come from a later folder of shared.
    'web/src/shared/text/session.ts':
      "import type { Session } from '../session/other.ts';\nexport type Words = Session;\n",
    'demo/main.ts': "import '../sdk/typescript/src/index.ts';\n",
    'sdk/typescript/src/index.ts': "import 'node:crypto';\n",
    'sdk/hook/src/main.ts': "import '../../typescript/src/index.ts';\nimport 'node:fs';\n",
    'sdk/typescript/src/adapters/framework.ts':
      "import '../index.ts';\nimport 'ai';\nimport '@modelcontextprotocol/client';\n",
    // The other halves of the circles below. Each circle is reported once.
    'api/circle-b.ts': "import './circle-a.ts';\n",
    'api/type-circle-b.ts': "import type { A } from './type-circle-a.ts';\nexport type B = A[];\n",
    'bin/configuration/command.ts': "import 'node:fs';\nexport const command = 1;\n",
    'bin/start.ts': "import '../api/teams.ts';\nimport '../temporal/worker.ts';\n",
  };
  const forbidden: Readonly<Record<string, readonly [string, string]>> = {
    'src/platform/a.ts': ['platform-imports-ours', "import '../domain/errors.ts';"],
    'src/platform/b.ts': ['platform-imports-packages', "import 'koa';"],
    'src/local/a.ts': ['local-imports-ours', "import '../services/teams.ts';"],
    'src/local/b.ts': ['local-imports-packages', "import 'knex';"],
    'src/domain/a.ts': ['domain-imports-ours', "import '../data/teams.ts';"],
    'src/domain/b.ts': ['domain-imports-packages', "import 'node:fs';"],
    'src/domain/c.ts': ['domain-imports-packages', "import 'pino';"],
    'src/domain/d.ts': ['domain-imports-ours', "import '../platform/a.ts';"],
    'src/domain/e.ts': [
      'domain-imports-ours',
      "import type { Teams } from '../services/teams.ts';\nexport type A = Teams;",
    ],
    'src/domain/requests/workflow-contract.ts': [
      'workflow-contract-imports-types-only',
      "import type { State } from '../states.ts';\nimport '../errors.ts';\nexport const STATES: State[] = [];",
    ],
    'src/data/a.ts': ['data-imports-ours', "export { Teams } from '../services/teams.ts';"],
    'src/data/b.ts': ['data-imports-packages', "import '@temporalio/client';"],
    'src/services/a.ts': ['services-imports-ours', "import '../../temporal/worker.ts';"],
    'src/services/b.ts': [
      'services-imports-packages',
      "import type { Knex } from 'knex';\nexport type A = Knex;",
    ],
    'src/services/f.ts': ['services-imports-ours', "import '../../workflows/request.ts';"],
    'src/services/c.ts': ['services-imports-ours', "await import('../../api/teams.ts');"],
    'api/a.ts': ['api-imports-ours', "import '../src/data/teams.ts';"],
    'api/b.ts': ['api-imports-packages', "import '@temporalio/client';"],
    'activities/a.ts': ['activities-imports-ours', "import '../src/data/teams.ts';"],
    'activities/b.ts': ['activities-imports-packages', "import 'koa';"],
    'workflows/a.ts': ['workflows-imports-types-only', "import '../activities/index.ts';"],
    'workflows/b.ts': ['workflows-imports-packages', "import 'node:crypto';"],
    // Code of the domain would bring Node's modules into the sandbox.
    'workflows/d.ts': ['workflows-imports-types-only', "import '../src/domain/errors.ts';"],
    'workflows/c.ts': ['workflows-imports-ours', "import '../src/platform/json/exact-json.ts';"],
    'temporal/a.ts': ['temporal-imports-types-only', "import '../activities/index.ts';"],
    'temporal/b.ts': ['temporal-imports-packages', "import 'pg';"],
    'temporal/c.ts': ['temporal-imports-ours', "import '../src/services/teams.ts';"],
    'migrations/a.ts': ['migrations-imports-ours', "import '../src/domain/errors.ts';"],
    'migrations/b.ts': ['migrations-imports-packages', "import 'luxon';"],
    'demo/a.ts': ['demo-imports-ours', "import '../api/teams.ts';"],
    'demo/b.ts': ['demo-imports-packages', "import '@temporalio/client';"],
    'sdk/typescript/src/a.ts': [
      'sdk/typescript-imports-ours',
      "import '../../../src/domain/errors.ts';",
    ],
    'sdk/hook/src/a.ts': ['sdk/hook-imports-ours', "import '../../../src/domain/errors.ts';"],
    'sdk/hook/src/b.ts': ['sdk/hook-imports-packages', "import 'pino';"],
    'sdk/typescript/src/b.ts': ['sdk/typescript-imports-packages', "import 'pino';"],
    'sdk/typescript/src/c.ts': [
      'sdk/typescript-imports-apart',
      "import './adapters/framework.ts';",
    ],
    'sdk/typescript/src/adapters/a.ts': [
      'sdk/typescript/adapters-imports-ours',
      "import '../../../../src/domain/errors.ts';",
    ],
    'sdk/typescript/src/adapters/b.ts': [
      'sdk/typescript/adapters-imports-packages',
      "import 'pino';",
    ],
    'web/src/a.ts': ['web-imports-ours', "import '../../src/domain/errors.ts';"],
    'web/src/c.ts': ['web-imports-types-only', "import '../../src/domain/pipelines/types.ts';"],
    'web/src/b.ts': ['web-imports-packages', "import 'node:fs';"],
    'web/src/shared/a.ts': [
      'web-shared-imports-itself',
      "import type { Events } from '../areas/audit/events.ts';\nexport type A = Events;",
    ],
    'src/services/access/a.ts': ['services-room-imports-lower-ones', "import '../engine/step.ts';"],
    'src/services/evaluation/a.ts': [
      'services-room-imports-lower-ones',
      "import '../engine/step.ts';",
    ],
    'src/services/engine/a.ts': [
      'services-room-imports-lower-ones',
      "import '../requests/claims.ts';",
    ],
    'web/src/shared/b.ts': ['web-shared-imports-itself', "import '../app/main.ts';"],
    'web/src/areas/account/a.ts': [
      'web-area-imports-itself-and-shared',
      "import type { Events } from '../audit/events.ts';\nexport type A = Events;",
    ],
    'web/src/areas/account/b.ts': [
      'web-area-imports-itself-and-shared',
      "await import('../../app/main.ts');",
    ],
    'web/src/shared/text/a.ts': [
      'web-room-imports-earlier-ones',
      "import '../session/session.ts';",
    ],
    'bin/configuration/a.ts': ['bin/configuration-imports-ours', "import '../start.ts';"],
    'bin/configuration/b.ts': ['bin/configuration-imports-packages', "import 'knex';"],
    'bin/configuration/documents/a.ts': [
      'bin/configuration/documents-imports-ours',
      "import '../command.ts';",
    ],
    'bin/configuration/documents/b.ts': [
      'bin/configuration/documents-imports-packages',
      "import 'node:fs';",
    ],
    'bin/a.ts': ['bin-imports-ours', "import '../demo/main.ts';"],
    'src/services/d.ts': ['undeclared-package', "import 'accepts';"],
    'src/services/e.ts': ['development-package', "import 'fast-check';"],
    'api/c.ts': ['unknown-file', "import './nowhere.ts';"],
    'api/circle-a.ts': ['circle', "import './circle-b.ts';"],
    'api/type-circle-a.ts': [
      'circle',
      "import type { B } from './type-circle-b.ts';\nexport type A = B | 1;",
    ],
  };

  test('refuse one forbidden import of each kind, including types and circles, and nothing else', () => {
    const texts = Object.entries(forbidden).map(([file, [, text]]) => [file, `${text}\n`] as const);
    const expected = Object.entries(forbidden).map(([file, [rule]]) => [file, [rule]] as const);
    expect(brokenRules({ ...allowed, ...Object.fromEntries(texts) })).toEqual(
      Object.fromEntries(expected),
    );
  });

  test('are all covered by a case', async () => {
    const file = join(root, '.dependency-cruiser.js');
    const { default: configuration } = (await import(file)) as {
      default: { forbidden: { name: string }[] };
    };
    expect(new Set(Object.values(forbidden).map(([rule]) => rule))).toEqual(
      new Set(configuration.forbidden.map(({ name }) => name)),
    );
  });
});

describe('files', () => {
  const ownCode = sources.filter((file) => !file.startsWith('test/'));

  test('are in a folder of this table', () => {
    expect(tracked.filter((file) => isSource(file) && folderOf(file) === undefined)).toEqual([]);
  });

  test('export by name only, except what Jest loads', () => {
    const defaults = sources.filter(
      (file) => /^export default\b/m.test(read(file)) || /\bas default\b/.test(read(file)),
    );
    expect(defaults).toEqual([
      'test/support/run/global-setup.ts',
      'test/support/run/global-teardown.ts',
      'web/vite.config.ts',
    ]);
  });

  test('share a folder with at most 19 others; what tools expect in the root, migrations and decision records only ever grow', () => {
    const counts = new Map<string, number>();
    for (const file of tracked) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(
      ([folder, count]) => !['.', 'migrations', 'docs/adr'].includes(folder) && count > 20,
    );
    expect(full).toEqual([]);
  });

  test('are not barrels, except what Temporal loads and what a package exports', () => {
    expect(sources.filter((file) => basename(file) === 'index.ts')).toEqual([
      'activities/index.ts',
      'sdk/typescript/src/index.ts',
      'workflows/index.ts',
    ]);
    const { exports } = JSON.parse(read('sdk/typescript/package.json')) as { exports: object };
    const exported = Object.keys(exports).map(
      (name) => `sdk/typescript/src/adapters/${basename(name)}.ts`,
    );
    const passingOn = ownCode.filter(
      (file) =>
        basename(file) !== 'index.ts' &&
        !exported.includes(file) &&
        /^export (type )?(\*|\{[^}]*\}) from '\./m.test(read(file)),
    );
    expect(passingOn).toEqual([]);
  });

  test('are not named utils, helpers, common, misc or shared, but for the floor of the web app', () => {
    expect(
      tracked.filter((file) =>
        /(^|\/)(utils?|helpers?|common|misc|(?<!^web\/src\/)shared)(\/|\.|$)/.test(file),
      ),
    ).toEqual([]);
  });

  test('of endpoints have the stem of a service or a table', () => {
    // Files named after their path instead of their noun, with the noun.
    const named: Readonly<Record<string, string>> = {
      'approval-requests': 'queue',
      'approval-request-changes': 'changes',
      'approval-request-claims': 'claims',
      'approval-request-reveal': 'reveal',
      'approval-request-reviewers': 'reviewers',
      'approval-request-routing': 'routing-view',
      'audit-proof': 'checkpoints',
      auth: 'sessions',
      mcp: 'links',
      'oauth-metadata': 'oauth-authorizations',
    };
    const endpointFiles = ownCode.filter(
      (file) =>
        /^api\/(?!http|openapi)[a-z-]+\/.+\.ts$/.test(file) &&
        /defineEndpoint\(\{|revisionEndpoints\(\{/.test(read(file)),
    );
    const stems = endpointFiles.map((file) => basename(file, '.ts'));
    const homeless = stems.filter((stem) => {
      const noun = named[stem] ?? stem;
      const pattern = new RegExp(`^src/(services|data)/.+/${noun}(/|\\.ts$)`);
      return !tracked.some((file) => pattern.test(file));
    });
    expect(stems.length).toBeGreaterThan(5);
    expect(homeless).toEqual([]);
  });

  test('write the row of a request in three places only: its insert, its commit, and the file of its clockwork', () => {
    const code = ownCode.filter((file) => /^(src|api|bin|temporal|activities)\//.test(file));
    const writers = (pattern: RegExp) => code.filter((file) => pattern.test(read(file)));
    const clockwork = 'src/data/requests/wake.ts';
    const commit = 'src/data/requests/engine/commit.ts';
    const insert = 'src/data/requests/engine/insert.ts';
    const row = /\b(update|insert into) approval_requests\b|\b(db|trx)\('approval_requests'\)/i;
    expect(writers(row)).toEqual([commit, insert, clockwork]);
    const columns = /(?<![.\w])(wake_at|next_at|wake_attempts|previous_metadata) =/;
    expect(writers(columns)).toEqual([commit, clockwork]);
    expect(read('ARCHITECTURE.md')).toContain(`\`${clockwork}\``);
  });

  test('answer every code of an issue that the description of the API lists', () => {
    const code = ownCode
      .filter((file) => /^(api|src)\//.test(file) && file !== 'src/domain/issue-codes.ts')
      .map(read)
      .join('\n');
    expect(Object.keys(issueCodes).filter((each) => !code.includes(`'${each}'`))).toEqual([]);
  });

  test('of tests have one tier in their name, and none but .test.ts holds tests', () => {
    const tests = tracked.filter((file) => /^test\/.+\.test\./.test(file));
    expect(tests.filter((file) => !/^[^.]+(\.(full|night))?\.test\.ts$/.test(file))).toEqual([]);
  });

  test('contain no note of later work and no path of a developer’s machine', () => {
    const text = tracked.filter(
      (file) =>
        !/(^|\/)(package-lock\.json|go\.sum)$/.test(file) &&
        !/\.(png|jpg|ico|woff2?|gz)$/.test(file),
    );
    const words = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].map((word) => `\\b${word}\\b`).join('|'),
    );
    const paths = /(^|[\s"'`(=])(\/work|\/root|\/home\/[a-z]+|\/Users\/[A-Za-z]+|[A-Z]:\\Users)\//m;
    expect(text.filter((file) => words.test(read(file)))).toEqual([]);
    expect(text.filter((file) => paths.test(read(file)))).toEqual([]);
  });
});
