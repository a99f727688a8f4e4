/** The one line of arguments that lists show. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PresentationField } from '../../../src/domain/agents/tool-presentations.ts';
import { excerptOf as excerptOfText } from '../../../src/domain/requests/excerpt.ts';
import { DEFAULT_HIDDEN_NAMES, type HiddenNames } from '../../../src/domain/shown/hidden-names.ts';
import type { ShownPresentation } from '../../../src/domain/shown/shown-call.ts';

const field = (path: string, role?: PresentationField['role']): PresentationField => ({
  path,
  label: path.slice(1),
  kind: 'text',
  ...(role && { role }),
});
const excerptOf = (
  text: string,
  presentation: ShownPresentation | undefined,
  hiddenNames: HiddenNames = DEFAULT_HIDDEN_NAMES,
): string =>
  excerptOfText({ start: text, end: null, characters: text.length }, { presentation, hiddenNames })
    .text;
const presented = (title: string, ...fields: PresentationField[]) => ({ title, fields });
const refund =
  '{"amount":120.50,"to":{"name":"Ada","card":"4111"},"note":"a\\nb","tags":["x","y"]}';

test.each([
  [
    'without a presentation, the first arguments',
    refund,
    undefined,
    'amount: 120.50 · to: {"name":"Ada","card":"4111"} · note: a b · tags: x, y',
  ],
  ['the title', refund, presented('Refund {/amount} to {/to/name} {}'), 'Refund 120.50 to Ada {}'],
  [
    'a title that points to nothing',
    refund,
    presented('Refund {/missing}'),
    'Refund · amount: 120.50 · to: {"name":"Ada","card":"4111"} · note: a b · tags: x, y',
  ],
  [
    'primary fields',
    refund,
    presented('Refund', field('/amount', 'primary'), field('/note')),
    'Refund · amount: 120.50',
  ],
  [
    'a field that the title has',
    refund,
    presented('{/amount}', field('/amount', 'primary')),
    '120.50',
  ],
  ['items and containers', refund, presented('{/tags/1} {/to}'), 'y {"name":"Ada","card":"4111"}'],
  [
    'sensitive values',
    refund,
    presented('To {/to/card}', field('/to/card', 'sensitive')),
    'To •••',
  ],
  [
    'a part of a sensitive value',
    refund,
    presented('{/to/name}', field('/to', 'sensitive')),
    '•••',
  ],
  ['what has a sensitive part', refund, presented('{/to}', field('/to/card', 'sensitive')), '•••'],
  [
    'nothing of a sensitive argument',
    '{"a/b":1,"c":2}',
    presented('Run', field('/a~1b', 'sensitive')),
    'Run · a/b: ••• · c: 2',
  ],
  [
    'lists as words',
    '{"to":["a@b.c","d e"],"n":[1.50,2,3,4]}',
    presented('{/to} {/n}'),
    'a@b.c, d e 1.50, 2 and 2 more',
  ],
  [
    'an item that reads like two between quotes',
    '{"to":["a@b.c, d@e.f","you and me",""]}',
    presented('{/to}'),
    '"a@b.c, d@e.f", "you and me", ""',
  ],
  [
    'lists of more than plain values as they are',
    '{"to":[{"a":1}]}',
    presented('{/to}'),
    '[{"a":1}]',
  ],
  [
    'nothing of a sensitive item',
    '{"to":["x","y"]}',
    presented('{/to}', field('/to/1', 'sensitive')),
    '•••',
  ],
  ['no arguments', '{}', undefined, ''],
  [
    'reordering characters',
    '{"a":"x\\u202ey","b\\u200b":1}',
    undefined,
    String.raw`a: x\u202ey · b\u200b: 1`,
  ],
  [
    'a beginning that ends in a value',
    '{"a":1,"long":"one two\\u00',
    undefined,
    'a: 1 · long: one two…',
  ],
  ['a beginning that ends in a name', '{"a":1,"lo', undefined, 'a: 1'],
  ['a beginning that ends before a value', '{"a":1,"long" : ', undefined, 'a: 1'],
  [
    'a beginning with the value',
    '{"a":1,"long":"one tw',
    presented('Write {/long} {/later}'),
    'Write one tw…',
  ],
])('shows %s', (_name, text, presentation, expected) => {
  expect(excerptOf(text, presentation)).toBe(expected);
});

test('is one safe line of at most 200 characters, however the arguments are cut', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (value, share) => {
        const whole = JSON.stringify(value);
        const text = whole.slice(0, 1 + Math.floor(share * whole.length));
        for (const presentation of [undefined, presented('{/a} {/a/0}', field('/b', 'primary'))]) {
          const line = excerptOf(text, presentation);
          expect(line.length).toBeLessThanOrEqual(200);
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        }
      },
    ),
  );
});

describe('of arguments of which only the ends are read', () => {
  const lineOf = (start: string, end: string | null) =>
    excerptOfText(
      { start, end, characters: 50_000 },
      { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES },
    ).text;
  const begun = `{"command":"ls${' x'.repeat(100)}`;

  test.each([
    ['the end of the same text is shown', begun, `${' y'.repeat(50)}; rm -rf /"}`],
    ['the end comes after white space', begun, `abc${' '.repeat(500)}; rm -rf /","n":1}`],
    ['the end comes after an escape', String.raw`${begun}\u00`, String.raw`41\n; rm -rf /"}`],
  ])('%s', (_what, start, end) => {
    const line = lineOf(start, end);
    expect(line).toMatch(/^command: ls x x/);
    expect(line).toMatch(/ … \(\d\d,\d{3} characters\) … .*; rm -rf \/( · n: 1)?$/);
  });

  test.each([
    ['another text may be there', begun, null],
    ['the start ends between values', '{"command":"ls"', ' secret"}'],
    ['it is the rest of a word, which may be one of a secret', begun, 'secret"}'],
    ['it goes on to no end', begun, ' secret'],
  ])('no end is shown where %s', (_what, start, end) => {
    expect(lineOf(start, end)).toMatch(/^command: ls.*… \(50,000 characters\)$/);
    expect(lineOf(start, end)).not.toContain('secret');
  });

  test('nothing is shown of a private key or of a hidden value', () => {
    const key = String.raw` MII\nMII\n-----END PRIVATE KEY-----\n"}`;
    expect(lineOf(begun, key)).not.toContain('MII');
    expect(lineOf('{"password":"ab cd', ' ef gh"}')).toBe('password: •••');
  });
});
