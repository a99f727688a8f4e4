/** Titles whose values are missing leave no dangling words. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { builtInPresentations } from '../../../src/domain/agents/built-in-presentations/catalog.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { titleText } from '../../../src/domain/shown/call-text.ts';
import { shownCall } from '../../../src/domain/shown/shown-call.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';

function titleOf(title: string, given: object): string {
  const whole = readSource(JSON.stringify(given));
  const how = { presentation: { title, fields: [] }, hiddenNames: DEFAULT_HIDDEN_NAMES };
  const { presented, hidden } = shownCall({ whole }, how);
  return titleText(presented?.title ?? [], hidden);
}

const REFUND = 'Refund of {/amount} EUR to {/to}';
const PAYMENT = 'Refund {/amount} {/currency} of {/payment_id}{/charge}{/order_id}';

describe('a title', () => {
  test.each([
    [REFUND, { amount: 5, to: 'Ada' }, 'Refund of 5 EUR to Ada'],
    [REFUND, {}, 'Refund'],
    [REFUND, { amount: null, to: ' ' }, 'Refund'],
    [REFUND, { amount: 5 }, 'Refund of 5'],
    [REFUND, { to: 'Ada' }, 'Refund to Ada'],
    [PAYMENT, { amount: 5, currency: 'EUR', charge: 'ch_1' }, 'Refund 5 EUR of ch_1'],
    [PAYMENT, { amount: 5, charge: 'ch_1' }, 'Refund 5 of ch_1'],
    [PAYMENT, { amount: 5, currency: 'EUR' }, 'Refund 5 EUR'],
    [PAYMENT, { payment_id: 'p', order_id: 'o' }, 'Refund of po'],
    ['Deploy {/service} to {/env}', {}, 'Deploy'],
    ['Deploy {/service} to {/env}', { env: 'live' }, 'Deploy to live'],
    ['Delete "{/path}" now', {}, 'Delete now'],
    ['Pay {/amount} ({/currency})', { amount: 5 }, 'Pay 5'],
    ['Pay {/amount} ({/currency}) today', { amount: 5 }, 'Pay 5 today'],
    ['Pay {/amount}% of {/sum}', { sum: 9 }, 'Pay of 9'],
    ['Mail to {/to}: {/subject}', {}, 'Mail'],
    ['Mail to {/to}: {/subject}', { to: 'a@b.c' }, 'Mail to a@b.c'],
    ['Mail to {/to}: {/subject}', { subject: 'Hi' }, 'Mail: Hi'],
    // cspell:disable-next-line
    ['Rückzahlung von {/amount} an {/to}', {}, 'Rückzahlung'],
    ['{/path}', {}, ''],
    ['{/path} is removed', {}, 'is removed'],
    ['Set {/name} to {/password}', { password: 'x' }, 'Set to •••'],
    ['No {} placeholder of', {}, 'No {} placeholder of'],
  ])('%s with %j reads “%s”', (title, given, expected) => {
    expect(titleOf(title, given)).toBe(expected);
  });

  test('of the service never ends in a word or a sign that leads to nothing, whatever is missing', () => {
    const dangling = /(?:\b(?:of|to|from|in|on|at|for|with|by|as|and|or|the|a)|[:,([{"“–-])$/iu;
    for (const { title } of builtInPresentations) {
      const pointers = [...title.matchAll(/\{\/([^{}/]+)[^{}]*\}/g)].map(([, name]) => name ?? '');
      fc.assert(
        fc.property(fc.subarray(pointers), (present) => {
          const given = Object.fromEntries(present.map((name) => [name, 'value']));
          const text = titleOf(title, given);
          expect(text).not.toMatch(dangling);
          expect(text).not.toMatch(/ {2}/);
        }),
        { numRuns: 5 },
      );
    }
  });
});
