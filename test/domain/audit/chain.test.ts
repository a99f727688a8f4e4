/** The bytes of the chain. The expected values were computed by another program, from the description alone. */
import { expect, test } from '@jest/globals';
import {
  canonicalLine,
  EMPTY_CHAIN,
  leafOf,
  nextEntry,
  type StoredEvent,
} from '../../../src/domain/audit/chain.ts';
import { checkpointBytes } from '../../../src/domain/audit/checkpoints.ts';

const organizationId = '0190a1b2-0000-7000-8000-000000000001';
const at = new Date('2030-01-02T03:04:05.006Z');
const event: StoredEvent = {
  sequence: 7,
  id: '0190a1b2-0000-7000-8000-0000000000aa',
  organizationId,
  eventType: 'team.renamed',
  actorType: 'human',
  actorId: 'm-1',
  actorDisplayName: 'Zoë "Z"',
  subjectType: 'team',
  subjectId: 't-1',
  data: String.raw`{ "b": 1.0, "a": "\u00e9" }`,
  occurredAt: at,
};
const LINE = String.raw`{"sequence":7,"id":"0190a1b2-0000-7000-8000-0000000000aa","organization_id":"0190a1b2-0000-7000-8000-000000000001","event_type":"team.renamed","actor_type":"human","actor_id":"m-1","actor_display_name":"Zoë \"Z\"","subject_type":"team","subject_id":"t-1","data":{ "b": 1.0, "a": "\u00e9" },"occurred_at":"2030-01-02T03:04:05.006Z"}`;
const SECOND = 'c3ccc33ba1ea09f7716fb90a02e09b103cab06308245b4a9faf7236e3ae4a5be';

test('the canonical line has every member in its order, and the data as it is stored', () => {
  expect(canonicalLine(event)).toBe(LINE);
});

test('absent members are left out', () => {
  const line = canonicalLine({ ...event, actorId: null, actorDisplayName: null });
  expect(line).toContain('"actor_type":"human","subject_type":"team"');
});

test('line breaks between tokens of stored data become spaces, and those in strings stay escaped', () => {
  const line = canonicalLine({ ...event, data: '{\r\n"a":\n"x\\ny"}' });
  expect(line).toContain(String.raw`"data":{  "a": "x\ny"},`);
});

test('leaves, links and what a checkpoint signs are as described', () => {
  const leaf = leafOf(LINE);
  const first = nextEntry(organizationId, EMPTY_CHAIN, leaf);
  const second = nextEntry(organizationId, first, leaf);
  expect(leaf.toString('hex')).toBe(
    '1d5079ac4bbae6f16efb797383bd55d8116f882d112153c23b8f4efc3d2de37a',
  );
  expect(first.hash.toString('hex')).toBe(
    'f731942bb14424efded8346ac1811e2283df54f9b805d71194eb460d53a2933f',
  );
  expect([second.position, second.hash.toString('hex')]).toEqual([2, SECOND]);
  const claim = { ...second, organizationId, at };
  expect(checkpointBytes({ ...claim, link: undefined }).toString('hex')).toBe(
    Buffer.from('countersign-audit-checkpoint-v1\0').toString('hex') +
      '0190a1b2000070008000000000000001' +
      '0000000000000002' +
      SECOND +
      '000001b8e094988e',
  );
  const link = { number: 7, previous: Buffer.alloc(32, 0xab) };
  expect(checkpointBytes({ ...claim, link }).toString('hex')).toBe(
    Buffer.from('countersign-audit-checkpoint-v2\0').toString('hex') +
      '0190a1b2000070008000000000000001' +
      '0000000000000007' +
      '0000000000000002' +
      SECOND +
      '000001b8e094988e' +
      'ab'.repeat(32),
  );
});
