import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldPassword, isGuessable } from '../../../src/domain/sign-in/guessable-passwords.ts';

const COMMON = new Set([
  'password',
  'qwertyuiop',
  '123456',
  '1234567890',
  'trustno1',
  'letmein',
  'test',
]);
const words = ['Ada.Marsh@Example.com', 'Ada.Marsh', 'Ada Marsh', 'Ünited Examples, Inc.'];
const guessable = (password: string) =>
  isGuessable(password, { words, isCommon: (text) => COMMON.has(text) });

describe('a password is guessable when it is', () => {
  test.each([
    ['a common one', 'qwertyuiop'],
    ['a common one in capitals', 'QWERTYuiop'],
    ['a common one typed in full-width letters', 'ｐａｓｓｗｏｒｄ'],
    ['a common one repeated', 'passwordpassword'],
    ['a common one repeated but for its end', 'letmeinletmeinlet'],
    ['a common one repeated with something between', 'password!password!password'],
    ['a common one followed by digits', 'Password1234567890'],
    ['a common one followed by punctuation', 'letmein!!!!!!!'],
    ['a common one that ends in a digit, followed by digits', 'trustno1123456'],
    ['a common one with digits on both sides', '2026-letmein-2026'],
    ['repeated and padded', 'letmeinletmein2026!'],
    ['a common number followed by digits', '123456789012'],
    ['one character again and again', 'zzzzzzzzzzzzzz'],
    ['three characters again and again', 'k7#k7#k7#k7#k7'],
    ['the email', 'ada.marsh@example.COM'],
    ['the local part of the email', 'ada.marsh'],
    ['the display name', 'Ada Marsh'],
    ['the display name without its space, with digits', 'AdaMarsh1815'],
    ['the display name twice', 'Ada Marsh Ada Marsh'],
    ["the organization's name", 'ünited examples inc'],
  ])('%s', (_what, password) => {
    expect(guessable(password)).toBe(true);
  });

  test.each([
    ['several words', 'seven bright ravens on a wire'],
    ['a common word among others', 'my password is a secret'],
    ['a common word that is the smallest part of it', 'test-93#5510-28417'],
    ['random', 'mX9v-2kqT-84hz'],
    ['one of many digits', '830571946205'],
    ['a name among other words', 'Ada Marsh counts the geese'],
  ])('not when it is %s', (_what, password) => {
    expect(guessable(password)).toBe(false);
  });

  test('a common one, with any digits and punctuation around it', () => {
    const padding = fc.string({ unit: fc.constantFrom(...'0123456789!?.-_ #'), maxLength: 12 });
    fc.assert(
      fc.property(
        padding,
        fc.constantFrom('password', 'letmein'),
        padding,
        (before, word, after) => {
          expect(guessable(`${before}${word}${after}`)).toBe(true);
        },
      ),
    );
  });

  test('only repetitive, when names and common ones do not count', () => {
    const isCommon = () => false;
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), {
          minLength: 12,
        }),
        (characters) => {
          expect(isGuessable(characters.join(''), { words: [], isCommon })).toBe(false);
          expect(
            isGuessable(characters.slice(0, 3).join('').repeat(4), { words: [], isCommon }),
          ).toBe(true);
        },
      ),
    );
  });
});

test('folding removes only case and width', () => {
  expect(foldPassword('ＡｂC ß!')).toBe('abc ß!');
});
