/** Each command that a document or a page tells people to type is one of our packages or of the packages it needs, with these options. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { builtTestPath } from '../support/run/built.ts';
import { DOCUMENTS } from './documents.ts';

const root = packageRoot();
const home = mkdtempSync(join(tmpdir(), 'countersign-commands-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const PROGRAMS: Readonly<Record<string, string>> = {
  countersign: builtTestPath('bin/countersign.ts'),
  'countersign-hook': builtTestPath('sdk/hook/src/main.ts'),
  'countersign-mcp': builtTestPath('sdk/typescript/src/adapters/mcp/command.ts'),
};

const filesBelow = (folder: string, ends: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ends.test(name) && !/(?:^|\/)(?:node_modules|dist)\//.test(name))
    .map((name) => `${folder}/${name}`);
const SOURCES = [
  ...DOCUMENTS,
  ...['sdk', 'examples'].flatMap((folder) => filesBelow(folder, /\.md$/)),
  ...filesBelow('web/src', /\.tsx?$/),
];

/** What stands for a value of the reader. Pages have `${…}`, documents `<…>` and `…`. */
const plain = (text: string): string => text.replaceAll(/\$\{[^}]*\}|<[^>]*>|…/g, 'x');
const OURS =
  /(?:^|[`'"]|\bnode |\bnpx |-- |\| )(?:npm run (countersign) --|(countersign(?:-hook|-mcp)?)|dist\/bin\/(countersign)\.js)((?: +(?![=#|>&])[^\s`"|>;&]+)+)/gm;

interface Typed {
  readonly program: string;
  readonly words: readonly string[];
  readonly file: string;
}

function typedIn(file: string): Typed[] {
  const text = plain(readFileSync(join(root, file), 'utf8')).replaceAll(/ \\\n\s*/g, ' ');
  return [...text.matchAll(OURS)].map(([, script, command, built, rest = '']) => ({
    ...{ program: script ?? command ?? built ?? '', file },
    words: rest
      .trim()
      .split(/ +/)
      .map((word) => word.replaceAll(/^['"]|['",.:;)]+$/g, '')),
  }));
}

/** Each once, with the first place that has it. */
const typed = [
  ...new Map(
    SOURCES.flatMap(typedIn)
      .filter(({ words: [first = ''] }) => /^[a-z][a-z-]*$/.test(first))
      .map((each) => [[each.program, ...each.words].join(' '), each] as const),
  ),
];

async function run(program: string, words: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home, COUNTERSIGN_DATA_DIR: home };
  return await promisify(execFile)(process.execPath, [PROGRAMS[program] ?? '', ...words], {
    env,
  }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  );
}

const helps = new Map<string, Promise<{ code: number; text: string }>>();
/** Of a command of commander, which writes it from its options. */
const helpOf = (name: string) => {
  const help = helps.get(name) ?? run('countersign', [name, '--help']);
  helps.set(name, help);
  return help;
};

describe('a command in documents and on pages', () => {
  test('is found', () => {
    const found = typed.map(([line]) => line);
    for (const program of Object.keys(PROGRAMS))
      expect(found.filter((line) => line.startsWith(`${program} `))).not.toEqual([]);
    expect(found).toContain('countersign-hook enroll --url x --agent x');
  });

  test.each(typed)('%s is there', async (_line, { program, words, file }) => {
    const [name = ''] = words;
    if (program === 'countersign') {
      const { code, text } = await helpOf(name);
      expect([file, code, text]).toEqual([file, 0, expect.stringContaining(`countersign ${name}`)]);
      for (const word of words.filter((each) => each.startsWith('--')))
        expect([file, text]).toEqual([file, expect.stringContaining(` ${word}`)]);
      return;
    }
    // They read all options before they help.
    const end = words.indexOf('--');
    const own = end < 0 ? words : words.slice(0, end);
    expect([file, await run(program, [...own, '--help'])]).toMatchObject([file, { code: 0 }]);
  });

  test('that is wrong is refused', async () => {
    for (const words of [
      ['instal', 'claude'],
      ['install', 'vim'],
      ['install', 'claude', '--scop', 'user'],
    ])
      expect([words, (await run('countersign-hook', [...words, '--help'])).code]).toEqual([
        words,
        2,
      ]);
    expect((await run('countersign-mcp', ['wrap', 'x', '--tool', 'a', '--help'])).code).not.toBe(0);
    expect((await helpOf('enrol')).text).not.toContain('countersign enrol ');
  });

  const installed = SOURCES.flatMap((file) =>
    [
      ...plain(readFileSync(join(root, file), 'utf8')).matchAll(
        /\b(npx|pip install)((?: +[^\s`"|>;&]+)+)/g,
      ),
    ].map(
      ([, tool = '', rest = '']) =>
        [file, tool, rest.trim().replaceAll("'", '').split(/ +/)] as const,
    ),
  );
  test.each(installed)('in %s: %s %j is one that can be had', (file, tool, words) => {
    const [name = ''] = words.filter((word) => !word.startsWith('-'));
    if (tool === 'npx') {
      const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
        bin: Record<string, string>;
      };
      expect(name in bin || existsSync(join(root, 'node_modules/.bin', name))).toBe(true);
      return;
    }
    const [, path = '', extra] = /^([^[]*)(?:\[(.*)\])?$/.exec(name) ?? [];
    if (!path.startsWith('.')) return;
    const folder = path.startsWith('..') ? join(root, file, '..', path) : join(root, path);
    const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
    if (extra !== undefined) expect(project).toMatch(new RegExp(`^${extra} = \\[`, 'm'));
  });
});
