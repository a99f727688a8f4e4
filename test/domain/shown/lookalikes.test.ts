/** Words that look Latin and are not, and names whose letters are encoded. */
// cspell:disable
import { describe, expect, test } from '@jest/globals';
import {
  encodedNames,
  lookalikeWords,
  wordsWithSigns,
} from '../../../src/domain/shown/lookalikes.ts';
import { warningsOf } from '../../../src/domain/shown/warnings.ts';

const wordsIn = (text: string) => lookalikeWords(text).map(({ word }) => word);

describe('a word that looks Latin', () => {
  test.each([
    ['аррӏе.com', 'аррӏе', 'Cyrillic'],
    ['раураӏ', 'раураӏ', 'Cyrillic'],
    ['https://ѕсоре.example/x', 'ѕсоре', 'Cyrillic'],
    ['Переведите деньги на аррӏе.com', 'аррӏе', 'Cyrillic'],
    ['rm -rf а', 'а', 'Cyrillic'],
    ['ΝΟΚΙΑ', 'ΝΟΚΙΑ', 'Greek'],
    ['οορ', 'οορ', 'Greek'],
    ['ոսօ.am', 'ոսօ', 'Armenian'],
    ['ᎡᎢ', undefined, undefined],
    ['ꓐꓲꓡꓡ', 'ꓐꓲꓡꓡ', 'Lisu'],
    ['𝗋𝗆 -rf', '𝗋𝗆', 'mathematical'],
    ['ⅼs', 'ⅼs', 'unusual Latin'],
    ['ɡo', 'ɡo', 'unusual Latin'],
  ])('%s is named', (text, word, script) => {
    expect(lookalikeWords(text)).toEqual(word === undefined ? [] : [{ word, scripts: [script] }]);
  });

  test.each([
    'apple.com',
    'Привет, оса',
    'осень в лесу',
    'Η ομάδα είναι εδώ',
    '東京タワー と ABC',
    'café 12 €',
    'naïve Übergröße',
    'сон',
    'pаypal',
  ])('%s has none', (text) => {
    expect(wordsIn(text)).toEqual([]);
  });
});

test('names whose letters are encoded are warnings, wherever they stand', () => {
  expect(encodedNames('see https://XN--80ak6aa92e.com/login and xn--80ak6aa92e.com')).toEqual([
    'XN--80ak6aa92e.com',
    'xn--80ak6aa92e.com',
  ]);
  expect(encodedNames('mail.xn--pple-43d.com.evil.example:80')).toEqual([
    'mail.xn--pple-43d.com.evil.example',
  ]);
  expect(encodedNames('axn--b xn- x')).toEqual([]);
  expect(warningsOf('a@xn--pple-43d.com аррӏе pаy').map(({ kind }) => kind)).toEqual([
    'mixed',
    'lookalike',
    'encoded',
  ]);
});

test.each([
  ['see https://paypal.com∕login.example now', ['https://paypal.com∕login.example']],
  ['paypal․com', ['paypal․com']],
  ['http꞉//a.example', ['http꞉//a.example']],
  ['C:∖x a∖b', ['a∖b']],
  ['ls\u037e rm', ['ls\u037e']],
  ['1⁄2 cup, 16∶9', []],
  ['Τι είναι αυτό\u037e', []],
  ['a/b.c:d;e|f', []],
])('signs that look like others are named where they join words: %s', (text, words) => {
  expect(wordsWithSigns(text)).toEqual(words);
});
