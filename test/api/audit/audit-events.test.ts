/** Reading the audit log over HTTP. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { appForFile, scene } from '../../support/scene.ts';
import { auditPath, HOSTED, readAll, write, type Query } from './audit-events-scene.ts';

const app = await appForFile(HOSTED);
const open = await scene();
const cast = () => scene({ on: app, people: { ada: ['audit.read'] } });
const { people, organization } = await cast();
const { http } = people.ada;

const listed = async (query: Query) => (await http.get(auditPath(query))).body;
const at = (time: string) => new Date(`2026-01-01T${time}Z`);

/** Their notes, in the order of the list. */
const notesOf = async (query: Query) =>
  (await readAll(http, query)).events.map(({ data }) => String(data?.['note']));

const refusal = async (query: Query) => {
  const { status, body } = await http.get(auditPath(query));
  return {
    status,
    pointers: [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']),
  };
};

test('an event is shown with its data as it is stored, in the list and alone', async () => {
  const data = '{ "amount": 1.10, "big": 12345678901234567890123.000, "e": 1E2 }';
  const [id = ''] = await write(app.db, organization.id, [
    {
      eventType: 'digits.kept',
      actorType: 'human',
      actorId: 'm-1',
      actorDisplayName: 'Ada',
      subjectId: 's-1',
      data,
      occurredAt: at('12:00:00.123'),
    },
  ]);
  const alone = await http.get(`/api/v1/audit/${id}`);
  expect(alone.status).toBe(200);
  expect(alone.text).toContain(data);
  const { sequence, data: _data, ...rest } = alone.body as unknown as Record<string, unknown>;
  expect(rest).toEqual({
    id,
    organization_id: organization.id,
    event_type: 'digits.kept',
    actor_type: 'human',
    actor_id: 'm-1',
    actor_display_name: 'Ada',
    subject_type: 'digits',
    subject_id: 's-1',
    occurred_at: '2026-01-01T12:00:00.123Z',
  });
  expect(sequence).toEqual(expect.any(Number));
  const list = await http.get(auditPath({ event_type: 'digits.kept' }));
  expect(list.text).toContain(data);
  expect(list.body['total_count']).toBe(1);
});

test('an event of the service itself has neither id nor name of an actor', async () => {
  await write(app.db, organization.id, [{ eventType: 'service.acted' }]);
  const { events } = await listed({ event_type: 'service.acted' });
  expect(Object.keys(events?.[0] ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^actor_(id|display_name)$/)]),
  );
});

test('a foreign event, an unknown one and what is no UUID are refused', async () => {
  const other = await cast();
  const [id = ''] = await write(app.db, other.organization.id, [{ eventType: 'other.happened' }]);
  const statuses = await Promise.all(
    [id, randomUUID(), 'x'].map(async (each) => (await http.get(`/api/v1/audit/${each}`)).status),
  );
  expect(statuses).toEqual([404, 404, 400]);
  expect((await listed({ event_type: 'other.happened' }))['total_count']).toBe(0);
  expect((await listed({ q: id }))['total_count']).toBe(0);
  const types = await http.get('/api/v1/audit/event_types');
  expect(types.body['event_types']).not.toContain('other.happened');
});

test('the types are those the organization has recorded, sorted, each once', async () => {
  const {
    people: { ada },
    organization: { id },
  } = await cast();
  const before = await ada.http.get('/api/v1/audit/event_types');
  await write(
    app.db,
    id,
    ['b.x', 'a.y', 'b.x', 'a_b.z', 'a.b'].map((eventType) => ({ eventType })),
  );
  const { body } = await ada.http.get('/api/v1/audit/event_types');
  const added = ['a.b', 'a.y', 'a_b.z', 'b.x'];
  expect(body['event_types']).toEqual([...added, ...(before.body['event_types'] ?? [])].sort());
});

test('the open edition does not serve it', async () => {
  const statuses = await Promise.all(
    ['/api/v1/audit', `/api/v1/audit/${randomUUID()}`, '/api/v1/audit/event_types'].map(
      async (path) => (await open.organization.owner.http.get(path)).status,
    ),
  );
  expect(statuses).toEqual([404, 404, 404]);
});

describe('order', () => {
  const note = (text: string) => ({ data: `{"note":"${text}"}`, subjectType: 'sorted' });
  const ready = write(app.db, organization.id, [
    { eventType: 'sort.b', actorDisplayName: 'zoë', ...note('1'), occurredAt: at('10:00:00') },
    { eventType: 'sort.a', actorDisplayName: 'Ada', ...note('2'), occurredAt: at('11:00:00') },
    { eventType: 'sort.b', actorDisplayName: 'ada', ...note('3'), occurredAt: at('09:00:00') },
    { eventType: 'sort.a', actorId: 'bot', ...note('4'), occurredAt: at('10:00:00') },
    { eventType: 'sort.c', ...note('5'), occurredAt: at('10:00:00') },
  ]);

  test.each([
    [{}, '25413'],
    [{ order: 'asc' }, '35412'],
    [{ sort: 'event_type', order: 'asc' }, '24135'],
    [{ sort: 'event_type' }, '51324'],
    [{ sort: 'actor', order: 'asc' }, '52341'],
    [{ sort: 'actor' }, '14235'],
  ])('%o', async (query, expected) => {
    await ready;
    const wanted = { subject_type: 'sorted', ...query };
    expect((await notesOf(wanted)).join('')).toBe(expected);
    expect((await notesOf({ ...wanted, limit: '1' })).join('')).toBe(expected);
  });
});

describe('a cursor', () => {
  const query = { sort: 'actor', order: 'asc', event_type: ['x.y', 'session.created'], q: 'ab' };
  const cursorOf = async (of: Query) => {
    await write(app.db, organization.id, [
      { eventType: 'x.y', subjectId: 'abc' },
      { eventType: 'x.y', subjectId: 'cab' },
    ]);
    return String((await listed({ ...of, limit: '1' }))['next_cursor']);
  };

  test.each([
    { sort: 'occurred' },
    { order: 'desc' },
    { q: 'a' + 'bc' },
    { q: undefined },
    { event_type: ['x.y'] },
    { outcome: 'denied' },
    { actor_id: 'ab' },
    { subject_type: 'x' },
    { from_at: '2020-01-01T00:00:00Z' },
    { to_at: '2999-01-01T00:00:00Z' },
  ])('is refused with another query: %o', async (change) => {
    const cursor = await cursorOf(query);
    expect(await refusal({ ...query, ...change, cursor })).toEqual({
      status: 400,
      pointers: ['/query/cursor'],
    });
  });

  test('is good with another limit, and with the same types in another order', async () => {
    const cursor = await cursorOf(query);
    const types = [...query.event_type].reverse();
    const { status } = await http.get(
      auditPath({ ...query, event_type: types, cursor, limit: '7' }),
    );
    expect(status).toBe(200);
  });

  test('of another organization is refused', async () => {
    const other = await cast();
    const cursor = await cursorOf(query);
    const { status } = await other.people.ada.http.get(auditPath({ ...query, cursor }));
    expect(status).toBe(400);
  });

  test.each(['nonsense', Buffer.from('["audit"]').toString('base64url'), ''])(
    'that the service did not make is refused: %j',
    async (cursor) => {
      expect((await http.get(auditPath({ cursor }))).status).toBe(400);
    },
  );

  test.each([
    ['desc', '4321'],
    ['asc', '1234xxx'],
  ])('stays in place while events are added (%s)', async (order, expected) => {
    const {
      people: { ada },
      organization: { id },
    } = await cast();
    let second = 10;
    const add = (text: string) => ({
      eventType: 'moving.on',
      data: `{"note":"${text}"}`,
      occurredAt: at(`12:00:${(second += 1)}`),
    });
    await write(app.db, id, ['1', '2', '3', '4'].map(add));
    const wanted = { event_type: 'moving.on', order, limit: '1' };
    let added = 0;
    const { events, totals } = await readAll(ada.http, wanted, async () => {
      if (added < 3) await write(app.db, id, [add('x')]);
      added += 1;
    });
    expect(events.map(({ data }) => data?.['note']).join('')).toBe(expected);
    expect(totals.slice(0, 4)).toEqual([4, 5, 6, 7]);
  });
});

test.each([
  [{ q: 'a' }, '/query/q'],
  [{ q: 'a'.repeat(201) }, '/query/q'],
  [{ q: ['ab', 'cd'] }, '/query/q'],
  [{ q: 'a\u0001b' }, '/query/q'],
  [{ event_type: 'no-dot' }, '/query/event_type/0'],
  [{ event_type: [] as string[], actor_type: 'robot' }, '/query/actor_type'],
  [{ subject_id: 'x' }, '/query/subject_id'],
  [{ outcome: 'maybe' }, '/query/outcome'],
  [{ from_at: 'yesterday' }, '/query/from_at'],
  [{ to_at: '2026-01-01' }, '/query/to_at'],
  [{ limit: '501' }, '/query/limit'],
  [{ limit: '0' }, '/query/limit'],
  [{ sort: 'subject' }, '/query/sort'],
  [{ order: 'up' }, '/query/order'],
  [{ page: '2' }, '/query/page'],
] as [Query, string][])('%o is refused', async (query, pointer) => {
  expect(await refusal(query)).toEqual({ status: 400, pointers: [pointer] });
});

test('a membership finds what its user did, and the reverse', async () => {
  const { membershipId, userId } = people.ada;
  await write(app.db, organization.id, [
    { eventType: 'self.found', actorId: membershipId },
    { eventType: 'self.found', actorId: userId },
    { eventType: 'self.found', actorId: 'someone-else' },
  ]);
  const counts = await Promise.all(
    [membershipId, userId, membershipId.toUpperCase(), 'someone-else'].map(
      async (actor_id) => (await listed({ event_type: 'self.found', actor_id }))['total_count'],
    ),
  );
  expect(counts).toEqual([2, 2, 2, 1]);
});
