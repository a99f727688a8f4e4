/** Branches over HTTP: what is stored of them, what a preview says, and how requests end in them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { requestOf } from '../../support/adapter.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { issuesOf } from '../../support/refusals.ts';
import { always, BASE, cel, ORGANIZATION } from '../../support/scene/request-approval-pipelines.ts';

const { owner, agents, routing, timeline, pipeline } = await scene({
  app: { temporal: true },
  people: { ada: REVIEWER },
  paths: { finance: [['ada']], night: [['ada']] },
  pipelines: { bot: {} },
});

const isTool = (id: string, tool: string) => ({
  id,
  field: '/request/tool',
  operator: 'equals',
  value: tool,
});
const branch = (id: string, config: object) => ({
  id,
  name: 'Branch',
  type: 'branch',
  config: { reason: `No rule of ${id} decided.`, ...config },
});

/** Refunds below 50 pass, those of a night shift ask the night, other refunds ask finance. */
const refunds = {
  blocks: [
    branch('refunds', {
      when: isTool('is-refund', 'refund'),
      escalation_path: 'finance',
      blocks: [
        cel('small', {
          id: 'below',
          field: '/request/arguments/amount',
          operator: 'less_than',
          value: 50,
        }),
        branch('at-night', {
          when: {
            id: 'night',
            field: '/request/context/shift',
            operator: 'equals',
            value: 'night',
          },
          escalation_path: 'night',
          blocks: [
            cel(
              'huge',
              {
                id: 'above',
                field: '/request/arguments/amount',
                operator: 'greater_than',
                value: 9000,
              },
              { on_match: 'deny', reason: 'Too much for a night.' },
            ),
          ],
        }),
      ],
    }),
    always('all-else'),
  ],
};

const revisionsOf = async (document: unknown) =>
  await owner.http.post(`${BASE}/agents/bot/revisions`, document);

describe('a stored branch', () => {
  test('is counted and identified with all of its blocks', async () => {
    const created = await revisionsOf(refunds);
    expect(created.status).toBe(201);
    expect(created.body['block_count']).toBe(5);
    const read = await owner.http.get(
      `${BASE}/agents/bot/revisions/${String(created.body['revision'])}`,
    );
    expect(read.body).toEqual(created.body);
    const text = read.text;
    const identified = { snapshot_id: expect.any(String), content_hash: expect.any(String) };
    expect(JSON.parse(text)).toMatchObject({
      blocks: [
        {
          ...identified,
          id: 'refunds',
          config: {
            escalation_path: 'finance',
            blocks: [
              { ...identified, id: 'small' },
              {
                ...identified,
                id: 'at-night',
                config: { blocks: [{ ...identified, id: 'huge' }] },
              },
            ],
          },
        },
        { ...identified, id: 'all-else' },
      ],
    });
  });

  test('names escalation paths like other blocks: unknown ones are a 400, inactive ones a 409', async () => {
    const naming = (key: string) => ({
      blocks: [
        branch('a', {
          when: isTool('b', 'x'),
          blocks: [always('c', { outcome: 'human', escalation_path: key })],
          escalation_path: 'finance',
        }),
      ],
    });
    expect(issuesOf(await revisionsOf(naming('unknown')))).toEqual([
      expect.objectContaining({
        pointer: '/blocks/0/config/blocks/0/config/escalation_path',
        code: 'unknown_escalation_path',
      }),
    ]);
    const path = { path_key: 'asleep', name: 'Asleep', nodes: [asleepLevel] };
    expect((await owner.http.post('/api/v1/escalation-paths', path)).status).toBe(201);
    const created = await revisionsOf(naming('asleep'));
    const active = await owner.http.get(`${BASE}/agents/bot`);
    const activated = await owner.http.post(
      `${BASE}/agents/bot/revisions/${String(created.body['revision'])}/activate`,
      undefined,
      { headers: { 'if-match': String(active.headers['etag']) } },
    );
    expect(activated.status).toBe(409);
    expect(activated.body).toMatchObject({
      error: { code: 'escalation_path_inactive', details: { escalation_paths: ['asleep'] } },
    });
  });

  test('may be 32 levels deep, with a condition of 32 levels, and is refused with a pointer beyond', async () => {
    const leaf = isTool('leaf', 'x');
    const ids = (prefix: string, count: number) =>
      Array.from({ length: count }, (_none, index) => `${prefix}${index}`);
    const when = ids('all', 31).reduce<object>((part, id) => ({ id, all: [part] }), leaf);
    const inside = (levels: number) =>
      ids('b', levels).reduce<object>(
        (block, id) => branch(id, { when: isTool(`w${id}`, 'x'), blocks: [block] }),
        cel('inner', when),
      );
    const created = await revisionsOf({ blocks: [inside(31)] });
    expect(created.status).toBe(201);
    expect(created.body['block_count']).toBe(32);
    const refused = await revisionsOf({ blocks: [inside(32)] });
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toEqual([
      expect.objectContaining({
        pointer: `/blocks/0${'/config/blocks/0'.repeat(31)}/config/blocks`,
        code: 'too_deep',
      }),
    ]);
  });
});

const asleepLevel = {
  id: '11111111-1111-4111-8111-111111111111',
  type: 'level',
  targets: [{ type: 'broadcast' }],
  escalate_after: '5m',
};

const sampleOf = (tool: string, args: object, context?: object) => ({
  request: { tool, arguments: args, ...(context && { context }) },
  agent: { slug: 'bot', name: 'Bot' },
});

test('a path that an active branch names cannot be archived, and the answer says where', async () => {
  await pipeline('bot', refunds);
  const uses = async (key: string) => {
    const refused = await owner.http.delete(`/api/v1/escalation-paths/${key}`);
    expect(refused.status).toBe(409);
    return refused.body;
  };
  for (const [key, block] of [
    ['finance', 'refunds'],
    ['night', 'at-night'],
  ] as const)
    expect(await uses(key)).toMatchObject({
      error: {
        code: 'escalation_path_in_use',
        details: { uses: [{ agent_slug: 'bot', block_key: block }] },
      },
    });
});

test('a preview says which branch the sample enters, and where it ends', async () => {
  const preview = async (sample: object) =>
    (await owner.http.post(`${ORGANIZATION}/preview`, { ...refunds, sample })).body;
  expect(await preview(sampleOf('refund', { amount: 60 }, { shift: 'night' }))).toEqual({
    outcome: 'human',
    reason_code: 'end_of_branch',
    terminal_block_id: 'at-night',
    escalation_path: 'night',
    escalation_path_source: 'block_escalation',
    blocks: [
      { block_id: 'refunds', position: 0, outcome: 'enter', reason: 'The condition holds.' },
      { block_id: 'small', position: 1, outcome: 'next', reason: 'The condition does not hold.' },
      { block_id: 'at-night', position: 2, outcome: 'enter', reason: 'The condition holds.' },
      { block_id: 'huge', position: 3, outcome: 'next', reason: 'The condition does not hold.' },
      {
        block_id: 'at-night',
        position: 2,
        outcome: 'human',
        reason: 'No rule of at-night decided.',
        end_of_branch: true,
      },
    ],
    warnings: [],
  });
  expect(await preview(sampleOf('deploy', {}))).toMatchObject({
    outcome: 'deny',
    blocks: [
      { block_id: 'refunds', position: 0, outcome: 'next', reason: 'The condition does not hold.' },
      { block_id: 'all-else', position: 4, outcome: 'deny' },
    ],
  });
});

describe('a request', () => {
  beforeAll(async () => {
    await pipeline('bot', refunds);
  });

  const asking = async (tool: string, args: object, context?: object) =>
    requestOf(
      await agents.bot.adapter.create({
        ...sampleOf(tool, args, context).request,
        timeout: '1h',
      }),
    );

  test.each([
    ['refund', { amount: 49 }, undefined, 'approved', 'Fine.'],
    ['refund', { amount: 9001 }, { shift: 'night' }, 'denied', 'Too much for a night.'],
    ['deploy', {}, undefined, 'denied', 'Not today.'],
  ])('for %s with %j and %j is %s: %s', async (tool, args, context, status, note) => {
    const request = await asking(tool, args, context);
    expect(request.status).toBe(status);
    expect(request.decision?.note).toBe(note);
  });

  test.each([
    ['night', 'at-night', { shift: 'night' }],
    ['finance', 'refunds', undefined],
  ])('that ends in a branch goes to its path %s', async (path, block, context) => {
    const request = await asking('refund', { amount: 60 }, context);
    expect(request.status).toBe('pending');
    expect(await routing(request.id)).toMatchObject({
      state: 'waiting',
      path_key: path,
      source: 'block_escalation',
      block_id: block,
      reason: `No rule of ${block} decided.`,
    });
    expect(await timeline(request.id)).toContainEqual(
      expect.objectContaining({
        event_type: 'approval_request.pipeline_concluded',
        data: expect.objectContaining({ reason_code: 'end_of_branch', block_id: block }),
      }),
    );
  });
});
