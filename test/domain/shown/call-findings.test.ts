/** What a thread finds in a call reaches the page as a copy of data, and says the same there. */
import { expect, test } from '@jest/globals';
import { findingsIn } from '../../../src/domain/shown/page/call-findings.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { shownCall, shownWith } from '../../../src/domain/shown/shown-call.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';

const names = { tool: 'refund', agentName: 'Bot', agentInstanceName: 'one' };
const presentation = {
  title: 'Refund {/id}',
  fields: [
    { path: '/id', label: 'Id', kind: 'text' },
    { path: '/pin', label: 'Pin', kind: 'text', role: 'sensitive' },
  ],
};
const how = { presentation, hiddenNames: DEFAULT_HIDDEN_NAMES };
const whole = JSON.stringify({
  id: 'p\u0430y_81',
  pin: [1, 2],
  password: 'hunter2',
  note: `the key sk_live_aaaaaaaaaaaaaaaaaaaaaaaa${' and more'.repeat(400)}`,
  'k\u200by': 'x',
});
const context = JSON.stringify({ token: 'a', user: '\u2066x' });

test('places of hidden values, hidden parts and cut values, and warnings', () => {
  const found = structuredClone(findingsIn({ names, whole, context }, how));
  const [value, inContext] = [readSource(whole), readSource(context)];
  const shown = shownWith({ whole: value }, presentation, found);
  expect(shown).toEqual(shownCall({ whole: value, context: inContext }, how));
  expect(shown.hiddenValues.map(({ pointer }) => pointer)).toEqual(['/pin', '/password']);
  expect([...shown.hiddenParts.keys()].map(({ pointer }) => pointer)).toEqual(['/note']);
  expect(found.cuts.map((offset) => value?.from(offset).pointer)).toEqual(['/note']);
  expect(found.flags.map(({ place, isContext }) => [place, isContext])).toEqual([
    ['/id', false],
    ['/k\u200by', false],
    ['/user', true],
  ]);
});
