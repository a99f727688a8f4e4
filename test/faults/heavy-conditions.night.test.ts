/**
 * Conditions of escalation paths over large arguments do not hold the event loop, and the walk is
 * the same.
 */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { level, user } from '../support/scene/nodes.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { heldBy } from '../support/held-by.ts';

/** Narrow: the largest regular expressions held the event loop for 150 ms. */
const MOST_FOR_PATTERNS_MS = 100;
/** Wide: on the event loop, these conditions would take seconds. */
const MOST_MS = 500;

const { app, people, owner, agent, path, later, timeline, routing } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
});

const branch = (when: object, then: readonly object[] = []) => ({
  id: randomUUID(),
  type: 'if_else',
  conditions: [{ type: 'request', when }],
  then,
  else: [],
});
/** More work than one condition may cost. */
const costly = (index: number) =>
  branch({
    id: `costly-${index}`,
    some: {
      field: '/request/arguments/list',
      condition: { id: `item-${index}`, field: '/item', operator: 'equals', value: index },
    },
  });
const amount = (operator: string) => ({
  id: operator,
  field: '/request/arguments/amount',
  operator,
  value: 5,
});

const COSTLY = Array.from({ length: 8 }, (_, index) => costly(index));
const NODES = [
  ...COSTLY,
  branch(amount('greater_than'), [level([user(people.ada)])]),
  branch(amount('less_than'), [level([user(people.bob)])]),
];
/** Nested as deep as a body may be. */
const DEEP = Array.from({ length: 98 }).reduce<unknown[]>((inner) => [inner], []);
const ARGUMENTS = { list: Array.from({ length: 60_000 }, () => 'ab'), amount: 7, deep: DEEP };

test('a request is handed over, viewed and previewed by costly conditions', async () => {
  await path('costly', { nodes: NODES });
  const { slug, http } = await agent('payer', 'costly');
  const body = { tool: 'deploy', arguments: ARGUMENTS, timeout: '1h' };
  const headers = { 'idempotency-key': randomUUID() };
  const asked = await http.post('/api/aap/v1/requests', body, { headers });
  const id = String(asked.body['id']);
  await app.db('approval_requests').where({ id }).update({ wake_at: null });
  expect(await heldBy(() => later(id, new Date()))).toBeLessThan(MOST_MS);
  const failed = COSTLY.map((node) => ({ node_id: node.id, code: 'condition_too_costly' }));
  const events = await timeline(id);
  const dataOf = (verb: string) =>
    events.flatMap((event) =>
      event['event_type'] === `approval_request.${verb}` ? [event['data'] as unknown] : [],
    );
  expect(dataOf('condition_failed')).toMatchObject(failed);
  expect(dataOf('level_notified')).toMatchObject([{ membership_id: people.ada.membershipId }]);

  const viewed = async () => {
    expect(await routing(id)).toMatchObject({
      state: 'waiting',
      levels: [{ status: 'current', targets: [{ id: people.ada.membershipId }] }],
    });
  };
  expect(await heldBy(viewed)).toBeLessThan(MOST_MS);

  const previewed = async () => {
    const { body } = await owner.http.post('/api/v1/escalation-paths/preview', {
      document: { name: 'Costly', nodes: NODES },
      // A body of its own, in which they nest one level deeper.
      request: { tool: 'deploy', arguments: { ...ARGUMENTS, deep: DEEP[0] } },
      agent: { slug, name: slug },
    });
    const steps = body['steps'] as unknown as readonly { readonly kind: string }[];
    expect(steps.filter(({ kind }) => kind === 'condition_failed')).toMatchObject(failed);
    expect(steps.filter(({ kind }) => kind === 'level_notified')).toHaveLength(1);
  };
  expect(await heldBy(previewed)).toBeLessThan(MOST_MS);
});

test('regular expressions of the largest size are compiled in a thread', async () => {
  /** Under 100,000 instructions, in under 2,000 characters. */
  const largest = (letter: string) => ({
    id: 'largest',
    any: [55, 44].map((repeats, index) => ({
      id: `part-${index}`,
      field: '/request/tool',
      operator: 'matches',
      value: `${letter}{1000}`.repeat(repeats),
    })),
  });
  await path('plain', { nodes: [level([user(people.ada)])] });
  const { slug, http } = await agent('matcher', 'plain');
  const config = { when: largest('a'), on_match: 'deny', reason: 'r' };
  const blocks = [{ id: 'b', name: 'B', type: 'cel', config }];
  const pipeline = `/api/v1/request-approval-pipelines/agents/${slug}`;
  const saved = async () => {
    const { status } = await owner.http.post(`${pipeline}/revisions`, { blocks });
    expect(status).toBe(201);
  };
  expect(await heldBy(saved)).toBeLessThan(MOST_FOR_PATTERNS_MS);
  const sample = { request: { tool: 'pay', arguments: {} }, agent: { slug, name: slug } };
  const previewed = async () => {
    const answer = await owner.http.post(`${pipeline}/preview`, { blocks, sample });
    expect(answer.body).toMatchObject({ outcome: 'human', reason_code: 'end_of_pipeline' });
  };
  expect(await heldBy(previewed)).toBeLessThan(MOST_FOR_PATTERNS_MS);

  const matched = branch(largest('b'), [level([user(people.bob)])]);
  const document = { name: 'Matched', nodes: [matched, level([user(people.ada)])] };
  const walked = async () => {
    const { body } = await owner.http.post('/api/v1/escalation-paths/preview', {
      ...{ document, request: sample.request, agent: sample.agent },
    });
    const steps = body['steps'] as unknown as readonly { readonly kind: string }[];
    expect(steps.map(({ kind }) => kind)).toEqual([
      'branch_taken',
      'level_notified',
      'path_exhausted',
    ]);
  };
  expect(await heldBy(walked)).toBeLessThan(MOST_FOR_PATTERNS_MS);

  const activated = await owner.http.post(`${pipeline}/revisions/3/activate`, undefined, {
    headers: { 'if-match': '"2"' },
  });
  expect(activated.body).toMatchObject({ revision: 3 });
  for (let turn = 0; turn < 2; turn += 1) {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { tool: 'pay', arguments: {}, timeout: '1h' };
    const asked = await http.post('/api/aap/v1/requests', body, { headers });
    const id = String(asked.body['id']);
    await app.db('approval_requests').where({ id }).update({ wake_at: null });
    expect(await heldBy(() => later(id, new Date()))).toBeLessThan(MOST_FOR_PATTERNS_MS);
    expect((await timeline(id)).length).toBeGreaterThan(1);
  }
});
