/** The digest of arguments: a client hashes the text it shows, and a decision on other arguments is refused. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseTree } from 'jsonc-parser';
import { createHash, randomUUID } from 'node:crypto';
import { refused } from '../../../support/refusals.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { stepAt } from '../../../support/scene/approval-requests.ts';

const { app, agents, owner, people, ...verbs } = await scene({
  people: { ada: REVIEWER, eve: ['request.read'] },
  pipelines: { bot: {} },
});
const { ask, decide, person, read, settings, timeline } = verbs;
const { ada, eve } = people;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const OTHER = sha256('{"amount":1}');

/** The source text of a member of an answer, by its place. */
function sourceOf(text: string, member: string): string {
  const value = parseTree(text)?.children?.find((each) => each.children?.[0]?.value === member)
    ?.children?.[1];
  if (!value) throw new Error(`the answer has no ${member}`);
  return text.slice(value.offset, value.offset + value.length);
}

test.each([
  '{}',
  '{"amount":9007199254740993,"rate":1.0,"huge":1e400,"tiny":-0}',
  '{ "b" : 1,\n\t"a":[ ] , "1" : {} }',
  String.raw`{"escaped":"é\u202e\ud83d\ude00\ud800","plain":"é \ud83d\ude00"}`,
  `{"plain":"é 😀 ${'x'.repeat(200_000)}"}`,
])('the digest is that of the text in the answer: %.40s', async (text) => {
  const created = await agents.bot.http.post(
    '/api/aap/v1/requests',
    `{"tool":"pay","arguments":${text},"timeout":"1h"}`,
    { headers: { 'idempotency-key': randomUUID() } },
  );
  expect(created.status).toBe(201);
  const id = String(created.body['id']);
  await stepAt(app, id);
  const answer = await ada.browser.get(`/api/v1/requests/${id}`);
  expect(answer.body['arguments_digest']).toBe(sha256(sourceOf(answer.text, 'arguments')));
  const seen = { arguments_digest: answer.body['arguments_digest'] };
  expect((await decide(ada.browser, id, { status: 'approved', seen })).status).toBe(200);
});

describe('a decision that says what was seen', () => {
  let id: string;
  let digest: string;

  beforeAll(async () => {
    id = await ask({ arguments: { amount: 2 } });
    digest = String((await read(id))['arguments_digest']);
  });

  test('is refused and decides nothing when the request has other arguments', async () => {
    const key = randomUUID();
    const body = { status: 'approved', seen: { arguments_digest: OTHER } };
    expect(await decide(ada.browser, id, body, key)).toMatchObject(refused(409, 'request_changed'));
    expect((await read(id))['status']).toBe('pending');
    expect(await decide(eve.browser, id, body)).toMatchObject(refused(403, 'permission_denied'));
    const bystander = await person(REVIEWER);
    await settings({ require_mfa: true });
    expect(await decide(bystander.browser, id, body)).toMatchObject(refused(403, 'mfa_required'));
    await settings({ require_mfa: false });
  });

  test.each([
    [{ seen: {} }, '/body/seen/arguments_digest'],
    [{ seen: { arguments_digest: 'x' } }, '/body/seen/arguments_digest'],
    [{ seen: { arguments_digest: OTHER.toUpperCase() } }, '/body/seen/arguments_digest'],
    [{ seen: { arguments_digest: OTHER, more: 1 } }, '/body/seen/more'],
    [{ seen: OTHER }, '/body/seen'],
  ])('is a 400 with a pointer when malformed: %j', async (wrong, pointer) => {
    const answer = await decide(ada.browser, id, { status: 'approved', ...wrong });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ pointer: pointer.replace('/body', '') }] } } },
    });
  });

  test('keeps the digest in the decision and in the audit log', async () => {
    const seen = { arguments_digest: digest };
    const key = randomUUID();
    const answer = await decide(ada.browser, id, { status: 'denied', seen }, key);
    expect(answer).toMatchObject({ status: 200, body: { decision: { seen } } });
    expect((await read(id))['decision']).toEqual(answer.body['decision']);
    expect((await timeline(id)).at(-1)).toMatchObject({
      event_type: 'approval_request.denied',
      data: { channel: 'web', seen },
    });
    const replayed = await decide(ada.browser, id, { status: 'denied', seen }, key);
    expect(replayed.body).toEqual(answer.body);
    const without = await decide(ada.browser, id, { status: 'denied' }, key);
    expect(without.body).toEqual(answer.body);
    const wrong = { status: 'denied', seen: { arguments_digest: OTHER } };
    expect(await decide(ada.browser, id, wrong, key)).toMatchObject(
      refused(409, 'request_changed'),
    );
  });

  test('is like any other without it', async () => {
    const other = await ask();
    const { body } = await decide(owner.browser, other);
    expect(body['decision']).not.toHaveProperty('seen');
    expect((await timeline(other)).at(-1)?.['data']).not.toHaveProperty('seen');
  });
});
