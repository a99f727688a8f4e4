/** Comparisons of the revisions of pipelines over HTTP. */
import { beforeAll, expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';

const { app, owner, organization, agent } = await scene({ pipelines: { bot: {}, large: {} } });
const BOT = `${BASE}/agents/bot`;

const small = (value: string) =>
  JSON.stringify(
    cel('small', {
      id: 'limit',
      all: [
        { id: 'w', field: '/request/arguments/n', operator: 'less_than', value: '@' },
        { id: 'in', field: '/request/tool', operator: 'in', value: ['a'] },
      ],
    }),
  ).replace('"@"', value);
const nested = (...blocks: readonly string[]) =>
  JSON.stringify({
    id: 'refunds',
    name: 'Refunds',
    type: 'branch',
    config: {
      when: { id: 'any', field: '/request/tool', operator: 'exists' },
      reason: 'r',
      blocks: ['@'],
    },
  }).replace('"@"', blocks.join(','));
const no = JSON.stringify(always('no'));
const yes = JSON.stringify(always('yes', { outcome: 'approve' }));

/** Revision 1 is the empty one that a pipeline begins with. */
const documents = [
  `{"blocks":[${nested(small('9007199254740993'), no)}]}`,
  `{"blocks":[${yes},${nested(small('9007199254740992').replace('["a"]', '["a","b"]'))},${no}],"default_escalation_path":"on-call"}`,
];

const diff = (revision: number, query = '', base = BOT) =>
  owner.http.get(`${base}/revisions/${revision}/diff${query}`);

beforeAll(async () => {
  await owner.http.post('/api/v1/escalation-paths', {
    path_key: 'on-call',
    name: 'On call',
    nodes: [
      {
        id: '11111111-1111-4111-8111-111111111111',
        type: 'level',
        targets: [{ type: 'broadcast' }],
        escalate_after: '5m',
      },
    ],
  });
  for (const base of [BOT, ORGANIZATION])
    for (const document of documents)
      expect((await owner.http.post(`${base}/revisions`, document)).status).toBe(201);
});

test.each([BOT, ORGANIZATION])('%s: says what came, went, moved and changed', async (base) => {
  const answer = await diff(3, '?against=2', base);
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      revision: 3,
      against: 2,
      added: [
        {
          ...{ block_id: 'yes', name: 'Deny everything', type: 'always', pointer: '/blocks/0' },
          sentence: 'Approve every request',
        },
      ],
      removed: [],
      moved: [{ block_id: 'no', from: '/blocks/0/config/blocks/1', to: '/blocks/2' }],
      changed: [
        {
          block_id: 'small',
          sentence_before: 'Approve when n is less than 9007199254740993 and the tool is one of a',
          sentence_after:
            'Approve when n is less than 9007199254740992 and the tool is one of a, b',
          changes: [
            {
              pointer: '/config/when/all/0/value',
              before: expect.any(Number),
              after: expect.any(Number),
            },
            { pointer: '/config/when/all/1/value', before: ['a'], after: ['a', 'b'] },
          ],
        },
      ],
      default_escalation_path: { after: 'on-call' },
    },
  ]);
  expect(answer.text).toContain('"before":9007199254740993,"after":9007199254740992');
});

test('compares with the active revision unless the call names one', async () => {
  expect((await diff(2)).body).toMatchObject({
    revision: 2,
    against: 1,
    added: [{ block_id: 'refunds' }, { block_id: 'small' }, { block_id: 'no' }],
  });
  expect((await diff(1, '?against=2')).body).toMatchObject({
    removed: [{ block_id: 'refunds' }, { block_id: 'small' }, { block_id: 'no' }],
  });
  expect((await diff(2, '?against=2')).body).toEqual({
    ...{ revision: 2, against: 2, added: [], removed: [], moved: [], changed: [] },
  });
});

test('answers 404 for an unknown revision, pipeline or other revision', async () => {
  for (const answer of [
    await diff(4),
    await diff(2, '?against=4'),
    await diff(2, '?against=99999999999999999999'),
    await diff(1, '', `${BASE}/agents/nope`),
  ])
    expect([answer.status, answer.body['error']]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found' }),
    ]);
});

test.each(['0', '-1', 'x', '1.5', ''])('refuses to compare with revision "%s"', async (against) => {
  const answer = await diff(2, `?against=${against}`);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([expect.objectContaining({ pointer: '/query/against' })]);
});

test('demands a revision to compare with while none is active', async () => {
  const { slug } = await agent();
  await app
    .db('request_approval_pipelines')
    .where({ organization_id: organization.id, document_key: `agent:${slug}` })
    .update({ active_revision: null, archived_at: new Date() });
  const base = `${BASE}/agents/${slug}`;
  const answer = await diff(1, '', base);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([
    {
      pointer: '/query/against',
      code: 'required',
      message: 'must name a revision, because none is active',
    },
  ]);
  expect((await diff(1, '?against=1', base)).status).toBe(200);
});

test('compares large revisions in a thread', async () => {
  const many = (value: number) => ({
    blocks: Array.from({ length: 400 }, (_none, index) =>
      cel(`rule-${index}`, {
        id: `w-${index}`,
        field: '/request/arguments/n',
        operator: 'equals',
        value: index === 7 ? value : index,
      }),
    ),
  });
  for (const value of [1, 2])
    expect((await owner.http.post(`${BASE}/agents/large/revisions`, many(value))).status).toBe(201);
  expect((await diff(3, '?against=2', `${BASE}/agents/large`)).body).toEqual({
    ...{ revision: 3, against: 2, added: [], removed: [], moved: [] },
    changed: [
      {
        block_id: 'rule-7',
        sentence_before: 'Approve when n is 1',
        sentence_after: 'Approve when n is 2',
        changes: [{ pointer: '/config/when/value', before: 1, after: 2 }],
      },
    ],
  });
});
