/** What the preview of a path says about the deadline of a request. */
import { expect, test } from '@jest/globals';
import { issuesOf } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';

const { owner, people } = await scene({ people: { ada: REVIEWER } });
const { ada } = people;

const LEVEL = '11111111-1111-4111-8111-111111111111';
const DEFER = '22222222-2222-4222-8222-222222222222';
const LAST = '33333333-3333-4333-8333-333333333333';

const level = (id: string, targets: readonly object[]) => ({
  id,
  type: 'level',
  targets,
  escalate_after: '1h',
});
const document = (nodes: readonly object[]) => ({
  name: 'Weekend',
  working_hours: [
    {
      id: 'office',
      name: 'Office',
      timezone: 'Europe/Berlin',
      intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
    },
  ],
  nodes,
});
const preview = (body: object) => owner.http.post('/api/v1/escalation-paths/preview', body);
const steps = (answer: { body: unknown }) =>
  (answer.body as { steps: Record<string, unknown>[] }).steps;

test('marks what comes after the deadline, and warns when no one would be asked in time', async () => {
  const nodes = [
    { id: DEFER, type: 'defer', working_hours_id: 'office' },
    level(LEVEL, [{ type: 'user', id: ada.membershipId }]),
    level(LAST, [{ type: 'broadcast' }]),
  ];
  const path = document(nodes);
  const saturday = '2026-03-28T10:00:00Z';
  const late = await preview({ document: path, starts_at: saturday, timeout: '24h' });
  expect(late.status).toBe(200);
  expect(late.body).toMatchObject({
    expires_at: '2026-03-29T10:00:00.000Z',
    steps: [
      { kind: 'deferred', ends_after_deadline: true },
      { kind: 'level_notified', after_deadline: true },
      { kind: 'level_notified', after_deadline: true },
      { kind: 'path_exhausted', after_deadline: true },
    ],
    warnings: [
      { code: 'first_level_after_deadline', node_id: LEVEL, at: '2026-03-30T07:00:00.000Z' },
    ],
  });
  expect(steps(late)[0]).not.toHaveProperty('after_deadline');
  // The level comes at the instant of the deadline: too late to approve.
  const exact = await preview({ document: path, starts_at: saturday, timeout: '45h' });
  expect(exact.body).toMatchObject({ warnings: [{ code: 'first_level_after_deadline' }] });
  const inTime = await preview({ document: path, starts_at: saturday, timeout: '46h' });
  expect(inTime.body).toMatchObject({ warnings: [] });
  expect(steps(inTime).map((step) => step['after_deadline'] ?? false)).toEqual([
    false,
    false,
    true,
    true,
  ]);
  const without = await preview({ document: path, starts_at: saturday });
  expect(without.body).not.toHaveProperty('expires_at');
  expect(without.text).not.toContain('after_deadline');
});

test.each(['0s', '169h', '1d', 60])('refuses the timeout %j', async (timeout) => {
  const path = document([level(LEVEL, [{ type: 'broadcast' }])]);
  const answer = await preview({ document: path, timeout });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toMatchObject([{ pointer: '/timeout' }]);
});
