/** The repository as a project: workflows that run what exists and no foreign code that can change, versions that agree. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { packageRoot } from '../src/platform/package-root.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Package {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
}

const root = packageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readPackage = (path: string) => JSON.parse(read(path)) as Package;

const WORKFLOWS = readdirSync(join(root, '.github/workflows'))
  .sort()
  .map((name) => `.github/workflows/${name}`);
const ACTIONS = readdirSync(join(root, '.github/actions')).map(
  (name) => `.github/actions/${name}/action.yml`,
);
const workflow = (path: string) => parse(read(path)) as Workflow;
const { version, scripts, engines } = readPackage('package.json');

test('the workflows are found', () => {
  expect(WORKFLOWS).toEqual(
    ['ci', 'night', 'release'].map((name) => `.github/workflows/${name}.yml`),
  );
});

describe.each([...WORKFLOWS, ...ACTIONS])('%s', (path) => {
  const lines = read(path).split('\n');

  test('runs actions of others at a commit, and says which version that is', () => {
    const foreign = lines.filter((line) => /\buses:/.test(line) && !line.includes('uses: ./'));
    const pinned = /^ *(- )?uses: [\w-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(foreign.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test('runs actions and workflows of this repository that exist', () => {
    const own = lines.flatMap((line) => /uses: \.\/(.*)$/.exec(line)?.[1] ?? []);
    expect(own.filter((each) => !existsSync(join(root, each)))).toEqual([]);
  });

  test('runs npm scripts and files that exist', () => {
    const text = lines.join('\n');
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...text.matchAll(/node (bin\/\S+)/g)].map(([, name = '']) => name);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  const { permissions, jobs } = workflow(path);

  test('may read the repository and nothing else, unless a job says what it needs', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  test('ends jobs that hang', () => {
    const endless = Object.values(jobs).filter((job) => !job.uses && !job['timeout-minutes']);
    expect(endless).toEqual([]);
  });

  test('puts no text of a pull request or a tag into a shell', () => {
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
    const put = steps.flatMap(({ run = '' }) => run.match(/\$\{\{(?!\s*matrix\.)[^}]*\}\}/g) ?? []);
    expect(put).toEqual([]);
  });
});

test('only the jobs of a release that publish may write', () => {
  const writing = WORKFLOWS.flatMap((path) =>
    Object.entries(workflow(path).jobs)
      .filter(([, { permissions }]) => Object.values(permissions ?? {}).includes('write'))
      .map(([name]) => `${path}: ${name}`),
  );
  expect(writing).toEqual(
    ['npm', 'pypi', 'image', 'github'].map((name) => `.github/workflows/release.yml: ${name}`),
  );
});

test('pull requests run the quick tests on every Node.js that is supported, and the oldest is the first', () => {
  const { quick } = workflow('.github/workflows/ci.yml').jobs as unknown as {
    quick: { strategy: { matrix: { node: string[] } } };
  };
  const { node } = quick.strategy.matrix;
  expect(engines.node).toMatch(new RegExp(String.raw`^>=${node[0]}\.`));
  const developed = read('.node-version').trim();
  expect(node).toContain(developed.split('.')[0]);
  expect(read('Dockerfile')).toContain(`ARG NODE_VERSION=${developed}\n`);
});

describe('CHANGELOG.md', () => {
  const changelog = read('CHANGELOG.md');
  const sections = [...changelog.matchAll(/^## \[(.+?)\](?: - (.+))?$/gm)].map(
    ([, name = '', date]) => ({ name, date }),
  );

  test('has what is not released, then the version of this package', () => {
    expect(sections[0]).toEqual({ name: 'Unreleased', date: undefined });
    expect(sections[1]?.name).toBe(version);
  });

  test('dates every version but the newest, which may wait for its release', () => {
    const undated = sections.slice(1).filter(({ date }) => !/^\d{4}-\d\d-\d\d$/.test(date ?? ''));
    expect(undated.filter(({ date }) => date !== 'not released yet')).toEqual([]);
    expect(undated.filter(({ name }) => name !== version)).toEqual([]);
  });
});

test('all packages have one version', () => {
  const [, python] = /^version = "(.+)"$/m.exec(read('sdk/python/pyproject.toml')) ?? [];
  const [, hook] = /^export const VERSION = '(.+)';$/m.exec(read('sdk/hook/src/version.ts')) ?? [];
  const packages = ['web', 'sdk/typescript', 'sdk/hook'].map(
    (folder) => readPackage(`${folder}/package.json`).version,
  );
  expect(new Set([...packages, python, hook])).toEqual(new Set([version]));
});

test('the published package has every file that its README links to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-stage-'));
  try {
    execFileSync(process.execPath, [join(root, 'bin/build/stage-service.js'), folder]);
    const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, to = '']) => to,
    );
    const pictures = [...read('README.md').matchAll(/src(?:set)?="([^"]+)"/g)].map(
      ([, to = '']) => to,
    );
    expect(links.length).toBeGreaterThan(10);
    expect([...links, ...pictures].filter((to) => !existsSync(join(folder, to)))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('the notes of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-release-'));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const notes = (tag: string, env: Readonly<Record<string, string>> = {}) =>
    execFileSync(process.execPath, [join(root, 'bin/build/release-notes.js'), tag], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });

  beforeAll(() => {
    for (const path of ['typescript', 'hook', 'python'])
      mkdirSync(join(folder, 'sdk', path), { recursive: true });
    for (const path of ['', 'sdk/typescript/', 'sdk/hook/'])
      write(`${path}package.json`, '{"version": "1.10.0"}');
    write('sdk/python/pyproject.toml', '[project]\nversion = "1.10.0"\n');
    write(
      'CHANGELOG.md',
      `# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.10.0] - 2026-03-01\n\n### Added\n\n- [Rules](docs/rules.md), as
  [the RFC](https://example.com) says.\n\n## [1.1.0] - 2026-02-01\n\n- Before.\n`,
    );
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('are the section of its version, with links to the files of its tag', () => {
    const github = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'a/b' };
    expect(notes('v1.10.0', github)).toBe(
      '### Added\n\n- [Rules](https://git.example/a/b/blob/v1.10.0/docs/rules.md), as\n  [the RFC](https://example.com) says.\n',
    );
  });

  test('are refused where a package has another version', () => {
    expect(() => notes('v1.1.0')).toThrow('package.json has version 1.10.0');
    write('sdk/python/pyproject.toml', '[project]\nversion = "1.9.0"\n');
    expect(() => notes('v1.10.0')).toThrow('sdk/python/pyproject.toml has version 1.9.0');
    write('sdk/python/pyproject.toml', '[project]\nversion = "1.10.0"\n');
  });

  test('are refused for what is no version, and for a version without a date', () => {
    expect(() => notes('newest')).toThrow('Give a tag');
    write('CHANGELOG.md', '## [Unreleased]\n\n## [1.10.0] - not released yet\n\n- New.\n');
    expect(() => notes('v1.10.0')).toThrow('no section for 1.10.0 with a date');
  });
});

test('what is marked as generated exists', () => {
  const marked = read('.gitattributes')
    .split('\n')
    .flatMap((line) => /^(\S+) linguist-generated$/.exec(line)?.[1] ?? []);
  expect(marked.length).toBeGreaterThan(5);
  const missing = marked.filter((path) => !existsSync(join(root, path.replace(/\/\*\..*$/, ''))));
  expect(missing).toEqual([]);
});
