/** One word for one thing, where users read and in code: CONTRIBUTING.md, "Words". Spelling has the words that are never used. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CONDITION_OPERATORS } from '../../src/domain/conditions/operators.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readDocument } from './documents.ts';

test('the guide to rules lists every operator, in their order', () => {
  const [, listed = ''] = /Operators: ([^.]*)\./.exec(readDocument('docs/guides/rules.md')) ?? [];
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, operator]) => operator)).toEqual([
    ...CONDITION_OPERATORS,
  ]);
});

/** What stored rows, error codes, texts for people and language models, and logs say stays as it was. */
const HONEST: readonly RegExp[] = [
  /\banswered_at\b/g,
  /\b(judge_)?invalid_answer\b|\banswer_too_large\b/g,
  /'(no|unreadable|incomplete)_answer'/g,
  /^ *no_answer: failure\(/g,
  /'countersign: answers to a provisioner'/g,
  /gave no valid answer|Your answer could not be recorded/g,
  /'(Final answers recorded|Calls that hold their answer)/g,
  /(with:|reviews your|never|Gives the|'|=) ?'?answer(?=[ '.])|'Answer with:'/gi,
  /(service|which|does not|the|no) answers?\b(?=[^*]*(--url|Countersign|COUNTERSIGN|one apart|describeFailure|\$\{status\}|from the API))/g,
];
const CODE = /^(src|api|activities|workflows|temporal|bin|web\/src)\/.*\.[jt]sx?$/;

const answersIn = (file: string, text: string): string[] =>
  text.split('\n').flatMap((line, index) => {
    const rest = HONEST.reduce((left, honest) => left.replaceAll(honest, ''), line);
    return /answer/i.test(rest) ? [`${file}:${index + 1}: ${line.trim()}`] : [];
  });

test('code says response, decision, verdict, result or match instead of answer', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: packageRoot(), encoding: 'utf8' })
    .split('\0')
    .filter((file) => CODE.test(file) && existsSync(join(packageRoot(), file)));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => /answer/i.test(file))).toEqual([]);
  expect(
    files.flatMap((file) => answersIn(file, readFileSync(join(packageRoot(), file), 'utf8'))),
  ).toEqual([]);
});

test('an answer in code would be found, and a code that is stored is none', () => {
  expect(answersIn('a.ts', 'const answer = 1;\n/** The answers. */\nisAnswered()')).toHaveLength(3);
  expect(answersIn('a.ts', "errorCode: 'invalid_answer'")).toEqual([]);
});
