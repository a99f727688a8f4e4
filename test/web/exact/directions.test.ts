/** Phrases of right-to-left letters, which are drawn apart from what is around them. */
import { describe, expect, test } from '@jest/globals';
import { directedPieces } from '../../../web/src/shared/exact/directions.ts';

const marked = (text: string) =>
  directedPieces(text)
    .map(({ text: piece, isRightToLeft }) => (isRightToLeft ? `<${piece}>` : piece))
    .join('');

describe('right-to-left letters', () => {
  test.each([
    ['# א && rm -rf / && ls', '# <א> && rm -rf / && ls'],
    ['א 1,000 - 2,000', '<א> 1,000 - 2,000'],
    ['/tmp/א/ב/1/2', '/tmp/<א>/<ב>/1/2'],
    ['אבא אמא, 7', '<אבא אמא>, 7'],
    ['أنا هنا', '<أنا هنا>'],
    ['\u{10900} a', '<\u{10900}> a'],
  ])('of %s are drawn apart', (text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  test('are none in most texts', () => {
    expect(directedPieces('amount: 5 €')).toEqual([{ text: 'amount: 5 €', isRightToLeft: false }]);
    expect(directedPieces('')).toEqual([]);
  });
});
