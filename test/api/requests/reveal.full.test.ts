/** Looking at hidden values is recorded, and only for those who may see the request. */
import { expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import { createAgent, createMember, createOrganization } from '../../support/scene/factories.ts';

const { app, organization } = await scene();
const agent = await createAgent(app, organization);
const id = await ask(app, agent, {
  tool: 'set_it',
  arguments: { auth: { password: 'x' }, list: [1] },
});
const reveal = (pointers: unknown, { http } = organization.owner) =>
  http.post(`/api/v1/requests/${id}/reveal`, { pointers });

test('is in the audit log and in the timeline of the request, with who looked at what', async () => {
  const { body } = await organization.owner.http.get(`/api/v1/requests/${id}`);
  expect(body['hidden_names']).toEqual({ defaults: true, add: [] });
  expect((await reveal(['/arguments/auth/password', '/arguments'])).status).toBe(204);
  const timeline = await organization.owner.http.get(`/api/v1/requests/${id}/timeline`);
  expect((timeline.body['events'] as unknown as readonly unknown[]).at(-1)).toMatchObject({
    event_type: 'approval_request.revealed',
    actor_display_name: organization.owner.displayName,
    data: { pointers: ['/arguments/auth/password', '/arguments'] },
  });
});

test.each([
  [[], '/pointers'],
  [['/arguments/auth/other'], '/pointers/0'],
  [['/arguments', '/context'], '/pointers/1'],
  [['/tool'], '/pointers/0'],
  [['/argumentsx'], '/pointers/0'],
  [['/arguments/~2'], '/pointers/0'],
  [[`/arguments/${'x'.repeat(1_000)}`], '/pointers/0'],
  [Array(101).fill('/arguments'), '/pointers'],
])('is refused for what is no value of the request: %j', async (pointers, pointer) => {
  const { status, body } = await reveal(pointers);
  const issues = body['error']?.['details']?.['issues'] as unknown as readonly Record<
    string,
    unknown
  >[];
  expect([status, issues.map((issue) => issue['pointer'])]).toEqual([400, [pointer]]);
});

test('is refused to those who may not read the request, without a trace', async () => {
  const other = await createMember(app, organization.id, { policies: [] });
  const stranger = (await createOrganization(app)).owner;
  const before = await app.db('audit_events').where({ subject_id: id }).pluck('id');
  const statuses = [];
  for (const person of [other, stranger])
    statuses.push((await reveal(['/arguments'], person)).status);
  expect(statuses).toEqual([403, 404]);
  // What is wrong with the input is for those who may ask.
  for (const person of [other, stranger]) {
    const { status } = await reveal('no list', person);
    expect([403, 404]).toContain(status);
  }
  expect(await app.db('audit_events').where({ subject_id: id }).pluck('id')).toEqual(before);
});
