/** Digits that a reader may take for others. */
// cspell:disable
import { expect, test } from '@jest/globals';
import { foreignNumbers } from '../../../src/domain/shown/digits.ts';

test.each([
  ['١٢٣', '١٢٣', ['Arabic']],
  ['1٢3', '1٢3', ['Western', 'Arabic']],
  ['١.٢5 ريال', '١.٢5', ['Arabic', 'Western']],
  ['دفع ١٢ ثم ۱٣', '۱٣', ['Arabic', 'Arabic']],
  ['https://host١.example', '١', ['Arabic']],
  ['دفع إلى ١host', '١', ['Arabic']],
  ['pay --amount ١٢ # دفع', '١٢', ['Arabic']],
  ['１２３.45', '１２３.45', ['full-width', 'Western']],
  ['１２３', '１２３', ['full-width']],
  ['EUR １２', '１２', ['full-width']],
  ['chmod ७५५ x', '७५५', ['Devanagari']],
  ['\u{1fbf1}\u{1fbf2}', '\u{1fbf1}\u{1fbf2}', ['unusual']],
])('are named in %s', (text, word, scripts) => {
  expect(foreignNumbers(text)).toEqual([{ word, scripts }]);
});

test.each([
  'ادفع ١٢٣ ريال إلى أحمد',
  'المبلغ: ١٬٢٣٤٫٥٠',
  '١٢ ريال',
  'طلب ١٢ iPhone',
  '価格は１２３円',
  '東京都港区１－２－３',
  'कुल ७५५ रुपये',
  'ราคา ๑๒๓ บาท',
  'ab 12.50, ½ and m²',
  '',
])('are none in %s', (text) => {
  expect(foreignNumbers(text)).toEqual([]);
});
