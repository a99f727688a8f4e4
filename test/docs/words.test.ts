/** One word for one thing, where users read: CONTRIBUTING.md, "Words". Spelling has the words that are never used. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { DOCUMENTS, readDocument } from './documents.ts';

const FORBIDDEN: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\banswer(s|ed|ing)?\b/gi, 'response, decision, verdict, result or match'],
  [/\bof the past\b/gi, 'past'],
  [/\bbehind (?!(such )?a (proxy|pooler))/gi, 'after, of, or that … opens'],
];

/** Records of decisions and measurements keep the words of their time. */
const READ_BY_USERS = DOCUMENTS.filter(
  (name) => !/^(docs\/(adr|benchmarks)|ARCHITECTURE|CONTRIBUTING)/.test(name),
);

const proseOf = (markdown: string): string =>
  markdown.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`]*`|\]\([^)]*\)/g, '');

const found = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) =>
      FORBIDDEN.flatMap(([word, instead]) =>
        [...line.matchAll(word)].map(([match]) => `${match}: ${instead} in: ${line.trim()}`),
      ),
    );

test.each(READ_BY_USERS)('%s uses the words of this project', (name) => {
  expect(found(proseOf(readDocument(name)))).toEqual([]);
});

test('the API reference, with its errors, uses the words of this project', () => {
  const reference = readFileSync(join(packageRoot(), 'api/openapi.yaml'), 'utf8');
  expect(found(reference.replaceAll(/`[^`]*`/g, ''))).toEqual([]);
});

test('other words would be found', () => {
  expect(
    found('The answer came.\nSimulate requests of the past.\nthe page behind it'),
  ).toHaveLength(3);
  expect(found('behind a proxy')).toEqual([]);
});
