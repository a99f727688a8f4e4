/**
 * Every block of every document is run, compared with something or left out for a reason, and excerpts are in the code.
 * `documents.full.test.ts` runs the commands.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { faultOfDifference } from './differences.ts';
import { DOCUMENTS, fencesOf, readDocument, type Fence } from './documents.ts';

/** Reasons to leave out a block of commands. Each such block names one of them. */
const NOT_RUN = {
  starts: 'starts the service or its tests, as this run has done already',
  docker: 'needs Docker',
  kubernetes: 'needs a cluster',
  operator: 'changes how a deployment runs, which the tests of bin/ try with real processes',
  slack: 'is typed in Slack',
  'coding-agent': 'changes the settings of a coding agent, which the tests of sdk/hook try',
} as const;

/** Blocks that are shown, not run. */
const SHOWN = ['text diagram', 'text message'];

const isRun = ({ language, mark }: Fence) => language === 'sh' && mark === '';

/**
 * True when the file contains it, as code or as an example in a comment, whatever the gap before a
 * comment. In the file it may stand in a function, two or four spaces further in.
 */
function isIn(source: string, text: string): boolean {
  const squeezed = (code: string): string => code.replaceAll(/ +\/\//g, ' //');
  const file = squeezed(readFileSync(join(packageRoot(), source), 'utf8'));
  const files = [file, file.replaceAll(/^ \* {5}/gm, '')];
  return ['', '  ', '    '].some((indent) => {
    const indented = squeezed(text).replaceAll(/^(?=.)/gm, indent);
    return files.some((code) => code.includes(indented));
  });
}

/** The fault of a block, if any. */
function complaint(
  fence: Fence,
  { before, after }: { before: Fence | undefined; after: readonly Fence[] },
): string | undefined {
  const { language, mark } = fence;
  if (isRun(fence)) return undefined;
  if (SHOWN.includes(`${language} ${mark}`)) return undefined;
  if (language === 'diff' && mark === 'example') return faultOfDifference(fence.text);
  const [, reason] = /^not-run=(.+)$/.exec(mark) ?? [];
  if (reason !== undefined && language === 'sh')
    return reason in NOT_RUN ? undefined : `${reason} is no reason to leave out a block`;
  if (mark === 'answer')
    return before && isRun(before) ? undefined : 'an answer must follow its commands';
  const [, file] = /^file=([\w.-]+)$/.exec(mark) ?? [];
  if (file !== undefined)
    return after.some((next) => isRun(next) && next.text.includes(file))
      ? undefined
      : `no command after it uses ${file}`;
  const [, source] = /^from=([\w./-]+)$/.exec(mark) ?? [];
  if (source !== undefined)
    return isIn(source, fence.text) ? undefined : `${source} does not contain it`;
  return 'it is neither run nor marked';
}

describe('every block of', () => {
  test.each(DOCUMENTS)('%s is run, compared with something, or marked with a reason', (name) => {
    const fences = fencesOf(readDocument(name));
    const wrong = fences.flatMap((fence, index) => {
      const found = complaint(fence, {
        before: fences[index - 1],
        after: fences.slice(index + 1),
      });
      return found === undefined
        ? []
        : [`${name}:${fence.line} ${fence.language} ${fence.mark}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['commands with an unknown mark', 'sh later'],
    ['commands with an unknown reason', 'sh not-run=tired'],
    ['a document that no command uses', 'json file=unused.json'],
    ['a document without a mark', 'json'],
    ['an answer without commands', 'json answer'],
    ['code that is in no file', 'ts from=package.json'],
  ])('a document would be refused with %s', (_what, info) => {
    const [fence] = fencesOf(`\`\`\`${info}\nx\u0000\n\`\`\``);
    expect(fence && complaint(fence, { before: undefined, after: [] })).toEqual(expect.any(String));
  });

  test.each([
    ['without a file', '@@\n "private": true,'],
    ['of a file that does not exist', '--- gone.json\n+++ gone.json\n {'],
    [
      'of lines that the file no longer has',
      '--- package.json\n+++ package.json\n {\n   "gone": 1',
    ],
    ['that removes what is not there', '--- package.json\n+++ package.json\n {\n-  "gone": 1'],
    ['of a new file in no folder', '--- /dev/null\n+++ gone/new.ts\n+x'],
  ])('a difference %s would be refused', (_what, text) => {
    expect(faultOfDifference(text)).toEqual(expect.any(String));
  });

  test('a difference that applies is accepted', () => {
    const added = '--- package.json\n+++ package.json\n {\n+  "new": 1,\n   "name": "countersign",';
    expect(faultOfDifference(`${added}\n--- /dev/null\n+++ test/docs/new.ts\n+x`)).toBeUndefined();
  });
});
