/** What an agent sends is shown in a moment, however it is made: the process that does so serves others. */
import { expect, test } from '@jest/globals';
import { SLACK_ROOM } from '../../../src/domain/notifications/slack/messages.ts';
import { callText } from '../../../src/domain/shown/call-text.ts';
import { withoutHidden } from '../../../src/domain/shown/concealed-source.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';
import { leastTimes } from './least-times.ts';

const how = { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES };
const CHARACTERS = 15_000;

type Filled = (part: string) => string;

/** A call of a quarter of the size takes about a quarter of the time: quadratic work takes a sixteenth. */
test.each<[string, (filled: Filled, times: number) => unknown]>([
  ['letters and one arrow', (filled) => ({ text: `${filled('a')}→` })],
  ['letters beside a numeral', (filled) => ({ text: `${filled('a')}ⅿ.→` })],
  ['parts of a name', (filled) => ({ text: `${filled('a.')} xn--` })],
  ['dashes', (filled) => ({ text: `${filled('-a')} xn--` })],
  ['dashes only', (filled) => ({ text: `${filled('-')} xn--` })],
  ['dots only', (filled) => ({ text: `a${filled('.')} xn--` })],
  ['encoded names', (filled) => ({ text: filled('xn--a ') })],
  ['marks', (filled) => ({ text: filled('a\u0301\u0302\u0303\u0304') })],
  [
    'words of another script',
    (filled) => ({ text: filled('\u043e\u0441\u0430 \u0434\u043e\u043c ') }),
  ],
  [
    'words that mix scripts, and a secret',
    (_, times) => ({
      text: `token=a ${Array.from({ length: 2_000 * times }, (_none, at) => `p\u0430${at}`).join(' ')}`,
    }),
  ],
  ['digits of another script', (filled) => ({ text: filled('\u0661a \u0662') })],
  ['joined pictures', (filled) => ({ text: filled('👩\u200d') })],
  [
    'many hidden values',
    (_, times) => Array.from({ length: 5_000 * times }, () => ({ token: 'a' })),
  ],
])('a long call: %s', (_, make) => {
  const [small, large] = [1, 4].map((times) => {
    const filled: Filled = (part) => part.repeat((CHARACTERS * times) / part.length);
    return showing(JSON.stringify(make(filled, times)));
  }) as [() => void, () => void];
  const [little, much] = leastTimes(small, large);
  expect(much).toBeLessThan(8 * Math.max(little, LEAST_MS));
});

/** Shorter times are too rough to compare. */
const LEAST_MS = 20;

/** Shows the call, in each way. */
function showing(text: string): () => void {
  const whole = readSource(text);
  const names = { tool: 'tool', agentName: 'bot', agentInstanceName: 'main' };
  return () => {
    callText({ ...names, whole, context: whole }, how, SLACK_ROOM);
    withoutHidden(text, how);
  };
}
