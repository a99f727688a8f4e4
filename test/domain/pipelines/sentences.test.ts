/** Blocks as people read them. */
import { expect, test } from '@jest/globals';
import { blockSentence } from '../../../src/domain/pipelines/sentences.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import { always, branch, cel } from './documents.ts';

const sentence = (block: object): string | undefined => {
  const body = parseExact(stringifyExact({ blocks: [block] }));
  const parsed = parsePipelineDocument(body, 'hosted');
  const [only] = parsed.ok ? parsed.document.blocks : [];
  return only && blockSentence(only);
};
const fixed = (config: object) => ({ ...always, config: { reason: 'r', ...config } });
const rule = (config: object) => ({ ...cel, config: { ...cel.config, ...config } });
const asking = (type: string, config: object) => ({ id: 'ask', name: 'Ask', type, config });
const money = {
  id: 'all',
  all: [
    { id: 'a', field: '/request/arguments/amount', operator: 'greater_than', value: 500 },
    { id: 'b', field: '/request/arguments/currency', operator: 'not_in', value: ['EUR', 'USD'] },
  ],
};

test.each([
  [fixed({ outcome: 'approve' }), 'Approve every request'],
  [fixed({ outcome: 'deny' }), 'Deny every request'],
  [fixed({ outcome: 'human' }), 'Ask a person about every request'],
  [
    fixed({ outcome: 'human', escalation_path: 'on-call' }),
    'Ask a person about every request on the path on-call',
  ],
  [
    rule({ on_match: 'deny', when: money }),
    'Deny when amount is more than 500 and currency is not one of EUR, USD',
  ],
  [rule({}), 'Approve when amount is less than 10'],
  [
    rule({ on_match: 'human', escalation_path: 'on-call' }),
    'Ask a person on the path on-call when amount is less than 10',
  ],
  [rule({ on_match: 'next' }), 'Go on to the next block when amount is less than 10'],
  [{ ...rule({}), enabled: false }, 'Disabled: approve when amount is less than 10'],
  [
    branch('b', [always]),
    'When the tool is present, only the block in it can decide; otherwise ask a person',
  ],
  [
    branch('b', [cel, always], { escalation_path: 'on-call' }),
    'When the tool is present, only the 2 blocks in it can decide; otherwise ask a person on the path on-call',
  ],
  [
    asking('webhook', { endpoint_key: 'fraud' }),
    'Ask the webhook endpoint fraud; without a valid result, ask a person',
  ],
  [
    asking('webhook', { endpoint_key: 'fraud', on_error: 'deny', escalation_path: 'on-call' }),
    'Ask the webhook endpoint fraud; without a valid result, deny',
  ],
  [
    asking('llm_judge', { policy: 'p' }),
    'Let the language model choose among: approve, ask a person; with a confidence below 0.8 or without a valid result, ask a person',
  ],
  [
    asking('llm_judge', {
      ...{ policy: 'p', model: 'big\u202e 1', outcomes: ['deny', 'next'], min_confidence: 0.5 },
      escalation_path: 'on-call',
    }),
    String.raw`Let the language model "big\u202e 1" choose among: deny, go on to the next block; with a confidence below 0.5 or without a valid result, ask a person on the path on-call`,
  ],
])('%# says what the block does', (block, text) => {
  expect(sentence(block)).toBe(text);
});
