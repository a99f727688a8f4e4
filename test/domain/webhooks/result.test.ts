import { describe, expect, test } from '@jest/globals';
import { readWebhookResult } from '../../../src/domain/webhooks/result.ts';

/** `{"text":"…"}` of so many bytes. */
const metadataOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - 11) });

describe('an answer of an endpoint', () => {
  test.each(['approve', 'deny', 'human', 'next'])('may be %s alone', (outcome) => {
    expect(readWebhookResult(JSON.stringify({ outcome }))).toEqual({ outcome });
  });

  test('keeps its metadata as the text that came', () => {
    const body = '{"metadata": {"score": 0.10, "__proto__": 1e400}, "outcome": "next"}';
    const answer = readWebhookResult(body);
    expect(answer?.metadata?.text).toBe('{"score": 0.10, "__proto__": 1e400}');
  });

  test('may name an escalation path with human', () => {
    const answer = { outcome: 'human', reason: 'Large.', escalation_path: 'on-call' };
    expect(readWebhookResult(JSON.stringify(answer))).toEqual({
      outcome: 'human',
      reason: 'Large.',
      escalationPath: 'on-call',
    });
  });

  test.each([
    ['a reason of 2,000 characters', { outcome: 'deny', reason: '\u{1f600}'.repeat(2_000) }],
    ['an empty reason', { outcome: 'deny', reason: '' }],
  ])('may have %s', (_, body) => {
    expect(readWebhookResult(JSON.stringify(body))).toEqual(body);
  });

  test('may have metadata of 16 KiB, and not one byte more', () => {
    const bodyOf = (bytes: number) => `{"outcome":"next","metadata":${metadataOf(bytes)}}`;
    expect(readWebhookResult(bodyOf(16_384))?.metadata?.text).toHaveLength(16_384);
    expect(readWebhookResult(bodyOf(16_385))).toBeUndefined();
  });
});

describe('what libraries add', () => {
  test.each([
    ['null members', '{"outcome":"approve","reason":null,"metadata":null,"escalation_path":null}'],
    ['a null member that no answer has', '{"outcome":"approve","weight":null}'],
    ['a byte order mark before it', '\ufeff{"outcome":"approve"}'],
    ['a byte order mark before white space', '\ufeff\r\n{"outcome":"approve"}'],
  ])('counts as absent: %s', (_, body) => {
    expect(readWebhookResult(body)).toEqual({ outcome: 'approve' });
  });
});

describe('no answer is', () => {
  test.each([
    ['nothing', ''],
    ['text', 'approve'],
    ['two byte order marks before it', '\ufeff\ufeff{"outcome":"approve"}'],
    ['a byte order mark within it', '{\ufeff"outcome":"approve"}'],
    ['a null outcome', '{"outcome":null}'],
    ['an unknown member beside a null one', '{"outcome":"approve","reason":null,"x":1}'],
    ['a null member that is repeated', '{"outcome":"deny","reason":null,"reason":"x"}'],
    ['an object without an outcome', '{}'],
    ['null', 'null'],
    ['a list', '[{"outcome":"approve"}]'],
    ['two objects', '{"outcome":"approve"}{}'],
    ['an outcome in capitals', '{"outcome":"Approve"}'],
    ['an outcome of requests', '{"outcome":"approved"}'],
    ['an outcome that is a list', '{"outcome":["approve"]}'],
    ['a repeated outcome', '{"outcome":"deny","outcome":"approve"}'],
    ['a repeated outcome in escapes', '{"outcome":"deny","\\u006futcome":"approve"}'],
    ['an outcome of a prototype', '{"__proto__":{"outcome":"approve"}}'],
    ['an unknown member', '{"outcome":"approve","unless":"weekend"}'],
    ['a reason with NUL', '{"outcome":"approve","reason":"\\u0000"}'],
    ['half a character as a reason', '{"outcome":"approve","reason":"\\ud800"}'],
    ['a reason that is too long', `{"outcome":"deny","reason":"${'x'.repeat(2_001)}"}`],
    ['metadata that is a list', '{"outcome":"next","metadata":[]}'],
    ['metadata that repeats a key', '{"outcome":"next","metadata":{"a":1,"a":2}}'],
    [
      'metadata that is too deep',
      `{"outcome":"next","metadata":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`,
    ],
    ['a path with approve', '{"outcome":"approve","escalation_path":"on-call"}'],
    ['a path that is no key', '{"outcome":"human","escalation_path":"../x"}'],
  ])('%s', (_, body) => {
    expect(readWebhookResult(body)).toBeUndefined();
  });
});
