/** What an agent sends is shown in a moment, however it is made: the process that does so serves others. */
import { expect, test } from '@jest/globals';
import { SLACK_ROOM } from '../../../src/domain/notifications/slack/messages.ts';
import { callText } from '../../../src/domain/shown/call-text.ts';
import { withoutHidden } from '../../../src/domain/shown/concealed-source.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';

const how = { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES };
const CHARACTERS = 60_000;
const filled = (part: string): string => part.repeat(CHARACTERS / part.length);

test.each([
  ['letters and one arrow', { text: `${filled('a')}→` }],
  ['letters beside a numeral', { text: `${filled('a')}ⅿ.→` }],
  ['parts of a name', { text: `${filled('a.')} xn--` }],
  ['dashes', { text: `${filled('-a')} xn--` }],
  ['dashes only', { text: `${filled('-')} xn--` }],
  ['dots only', { text: `a${filled('.')} xn--` }],
  ['encoded names', { text: filled('xn--a ') }],
  ['marks', { text: filled('a\u0301\u0302\u0303\u0304') }],
  ['joined pictures', { text: filled('👩\u200d') }],
  ['many hidden values', Array.from({ length: 20_000 }, () => ({ token: 'a' }))],
])('a long call: %s', (_, args) => {
  const text = JSON.stringify(args);
  const whole = readSource(text);
  const names = { tool: 'tool', agentName: 'bot', agentInstanceName: 'main' };
  // The time of this process alone: others are busy, too.
  const show = (): number => {
    const before = process.cpuUsage();
    callText({ ...names, whole, context: whole }, how, SLACK_ROOM);
    withoutHidden(text, how);
    return process.cpuUsage(before).user / 1_000;
  };
  // The first one compiles the expressions.
  show();
  expect(show()).toBeLessThan(400);
});
