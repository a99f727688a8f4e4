/** A rule drafted from a request: what it tests, what it leaves out, and where it goes. */
import { describe, expect, test } from '@jest/globals';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { hiddenOf, NOTHING_HIDDEN } from '../../../src/domain/shown/hidden.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../src/platform/json/exact-values.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';
import {
  placeOfNewRule,
  ruleFromRequest,
} from '../../../web/src/areas/rules/document/from-request.ts';
import { addBlock } from '../../../web/src/areas/rules/document/rule-edits.ts';

function drafted(
  given: string,
  { isDenied = false, hidden = [] as string[], server = undefined as string | undefined } = {},
) {
  const whole = readSource(given);
  if (!whole) throw new Error(given);
  const values = hidden.flatMap((pointer) => whole.at(pointer) ?? []);
  const rule = ruleFromRequest({
    ...{ tool: 'refund_payment', server, isDenied, arguments: whole },
    hidden: values.length > 0 ? hiddenOf(values, new Map()) : NOTHING_HIDDEN,
  });
  return { ...rule, text: stringifyExact(rule.block) };
}

describe('a rule drafted from a request', () => {
  test('limits amounts with the digits of the request, and names the tool and its server', () => {
    const { text, untested } = drafted('{"amount": 1249.950, "currency": "EUR"}', {
      server: 'payments',
    });
    expect(text).toContain('"value":1249.950');
    expect(text).toContain('"on_match":"approve"');
    const { config } = JSON.parse(text) as {
      config: { when: { all: { field: string; operator: string; value: unknown }[] } };
    };
    expect(config.when.all.map(({ field, operator }) => `${field} ${operator}`)).toEqual([
      '/request/tool equals',
      '/request/server equals',
      '/request/arguments/amount greater_than',
      '/request/arguments/amount less_than_or_equal',
      '/request/arguments/currency equals',
    ]);
    expect(untested).toEqual([]);
  });

  test('leaves out what names this one call, and says so', () => {
    const { text, untested } = drafted(
      '{"payment_id":"pay_1","orderId":7,"note":"Parcel lost","trace":"0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21","dry_run":false,"gone":null}',
    );
    expect(untested).toEqual(['payment_id', 'orderId', 'note', 'trace', 'gone']);
    expect(text).toContain(
      '"field":"/request/arguments/dry_run","operator":"equals","value":false',
    );
    expect(text).not.toContain('pay_1');
  });

  test('never takes a hidden value along, whole or inside a list or an object', () => {
    const given = '{"card":{"pin":"4711","kind":"visa"},"to":["a","s3cret"],"amount":5}';
    const { text, untested } = drafted(given, { hidden: ['/card/pin', '/to/1'] });
    expect(text).not.toMatch(/4711|s3cret/);
    expect(text).toContain('/request/arguments/card/kind');
    expect(untested).toEqual(['pin', 'to']);
  });

  test('denies what was denied: from this amount on, and where any recipient is one of these', () => {
    const { text } = drafted('{"amount":500,"to":["eve@example.com"]}', { isDenied: true });
    expect(text).toContain('"operator":"greater_than_or_equal","value":500');
    expect(text).not.toContain('less_than');
    expect(text).toContain('"some":{"field":"/request/arguments/to"');
    expect(text).toContain('"on_match":"deny"');
  });

  test('is a rule that the service takes, whatever the request has', () => {
    const odd = `{"a/b~c":1e400,"":"x","__proto__":-1,"zero":0.00,"deep":{"a":{"b":{"c":{"d":1}}}},"list":[${'"y",'.repeat(10)}"z"],${Array.from({ length: 20 }, (_, at) => `"k${at}":true`).join(',')}}`;
    const { block } = drafted(odd);
    const text = addBlock(
      '{"blocks":[{"id":"refund_payment"}]}',
      { list: '/blocks', index: 0 },
      block,
    );
    const own = readSource(text)?.at('/blocks/0')?.source ?? '';
    const parsed = parsePipelineDocument(parseExact(`{"blocks":[${own}]}`) as ExactValue);
    expect('issues' in parsed ? parsed.issues : []).toEqual([]);
    expect(text).toContain('"refund_payment-2"');
  });
});

describe('the place of a new rule', () => {
  test('is the end, or before the rule that decides every request', () => {
    const all = { id: 'all', type: 'always', enabled: true };
    const other = { id: 'x', type: 'cel' };
    expect(placeOfNewRule({ blocks: [] })).toBe(0);
    expect(placeOfNewRule({ blocks: [other, { ...all, enabled: false }] })).toBe(2);
    expect(placeOfNewRule({ blocks: [other, all, other] })).toBe(1);
  });
});
