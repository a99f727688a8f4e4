import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasUnseen, isBlank, withoutUnseen } from '../../src/domain/labels.ts';
import { anyCharacter } from '../support/characters.ts';

describe('a name', () => {
  test.each([
    '',
    ' ',
    '\t\n',
    '\u200b',
    '\u202e',
    '\u3164',
    '\u2800',
    '\u115f\u1160',
    '\ufeff \u00a0',
    '\u0301',
    '\ufe0f',
    '\ud800',
  ])('without visible characters is blank: %j', (name) => {
    expect(isBlank(name)).toBe(true);
  });

  test.each([
    'Ops\u200b',
    'Ops\u202espO',
    'O\u2066ps',
    'Ops\n',
    'Ops\0',
    'Ops\u3164',
    'Ops\u034f',
    'Ops\u00ad',
    'Ops\u2028',
    'Ops\ud800',
  ])('with an invisible character is refused: %j', (name) => {
    expect([isBlank(name), hasUnseen(name), hasUnseen(withoutUnseen(name))]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test.each([
    'Ops',
    'Ada Marsh',
    'Zoë Ångström',
    '運用チーム',
    'فريق',
    'नमस्ते',
    'On call ☎️',
    "O'Neill & Söhne, Ltd. (EMEA) #1",
    '1',
    '.',
  ])('as people write it stays unchanged: %s', (name) => {
    expect([isBlank(name), hasUnseen(name), withoutUnseen(name)]).toEqual([false, false, name]);
  });

  test('has no invisible characters left after they are removed', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => !hasUnseen(withoutUnseen(name))),
    );
  });
});
