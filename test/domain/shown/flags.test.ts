import { describe, expect, test } from '@jest/globals';
import { flagsOf } from '../../../src/domain/shown/flags.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';

const request = { tool: 'refund', agentName: 'Bot', agentInstanceName: 'one' };

const flagsIn = (whole: string, context = '{}', others: Partial<typeof request> = {}) =>
  flagsOf({ ...request, ...others }, { whole: readSource(whole), context: readSource(context) });

describe('warnings about a call', () => {
  test('name every place in the order of the text, also in keys and in the context', () => {
    const flags = flagsIn(
      '{"a/b":["ok","x\u200by"],"k\u202ey":1,"c":"p\u0430ypal"}',
      '{"user":"\u2066x"}',
      { tool: 're\u00adfund' },
    );
    expect(flags.map(({ place, isContext, warning }) => [place, isContext, warning.kind])).toEqual([
      ['tool', false, 'hidden'],
      ['/a~1b/1', false, 'hidden'],
      ['/k\u202ey', false, 'hidden'],
      ['/c', false, 'mixed'],
      ['/user', true, 'hidden'],
    ]);
  });

  test('are all of them, however many there are', () => {
    const values = Array.from({ length: 3_000 }, (_none, index) => `"v${index}\u200b"`);
    expect(flagsIn(`[${values.join(',')}]`)).toHaveLength(3_000);
    const words = Array.from({ length: 40 }, (_none, index) => `p\u0430y${index}`);
    expect(flagsIn(JSON.stringify({ words: words.join(' ') }))).toHaveLength(40);
  });

  test('name no word and no key of a hidden value', () => {
    const whole = '{"a":"p\u0430ypal","b":{"p\u0430y":["p\u0430l"]},"p\u0430n":1}';
    const source = readSource(whole);
    const values = new Set(source?.members.slice(0, 2).map(({ value }) => value.offset));
    const flags = flagsOf(request, {
      whole: source,
      context: undefined,
      hidden: { values, parts: new Map() },
    });
    expect(
      flags.map(({ place, warning }) => [place, warning.kind === 'mixed' && warning.word]),
    ).toEqual([
      ['/a', '•••'],
      ['/b', '•••'],
      ['/p\u0430n', 'p\u0430n'],
    ]);
  });

  test('find what only escapes of the source say', () => {
    expect(flagsIn(String.raw`{"a":"x\u202ey"}`)).toHaveLength(1);
    expect(flagsIn(String.raw`{"a":"x\ny \\ \" \/"}`)).toEqual([]);
  });
});

describe('a text that is no JSON', () => {
  test.each(['', '{', '{"a":1}}', '{"a":1,}', '{"a":1 /* no */}', '[1 2]', "{'a':1}", 'NaN'])(
    'is not repaired: %s',
    (text) => {
      expect(readSource(text)).toBeUndefined();
    },
  );
});
