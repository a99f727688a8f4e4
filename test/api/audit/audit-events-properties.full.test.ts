/** Lists of the audit log against a plain filter over the same events in memory, whatever is sealed and indexed meanwhile. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findEventPlace,
  indexFilter,
  readTailStart,
  walkPage,
} from '../../../src/data/audit/list.ts';
import { createIndexer } from '../../../src/services/audit/indexer.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import type { Json } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { auditPath, HOSTED, readAll, write, type WrittenEvent } from './audit-events-scene.ts';

const { app, people, organization } = await scene({
  app: HOSTED,
  people: { ada: ['audit.read'] },
});
const { http } = people.ada;
const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-05'];
const TIMES = ['00:00:00.000Z', '00:00:00.001Z', '12:00:00.000Z', '23:59:59.999Z'];
const TYPES = [
  'approval_request.approved',
  'approval_request.routed',
  'gateway.refused',
  'team.renamed',
];
const OUTCOMES = ['approved', 'denied', 'human', 'blocked', 'cancelled'];
const NAMES = ['Ada', 'ada', 'Zoë', 'ÜBER_100%', String.raw`back\slash`];
const ACTOR_TYPES = ['human', 'agent', 'system', 'api_key'] as const;

const instant = fc
  .tuple(fc.constantFrom(...DAYS), fc.constantFrom(...TIMES))
  .map(([day, time]) => `${day}T${time}`);
const word = fc.constantFrom('Über', 'zoë', '100%', '_1', String.raw`k\s`, 'refund', '"a"', 'ad');

const event = fc
  .record({
    eventType: fc.constantFrom(...TYPES),
    actorType: fc.constantFrom(...ACTOR_TYPES),
    actorId: fc.option(fc.constantFrom('bot', people.ada.membershipId, people.ada.userId)),
    actorDisplayName: fc.option(fc.constantFrom(...NAMES)),
    subjectId: fc.constantFrom('s-1', 's-2', 'refund-bot'),
    outcome: fc.option(fc.constantFrom(...OUTCOMES, 'other')),
    note: word,
    occurredAt: instant.map((text) => new Date(text)),
  })
  .map(({ outcome, note, ...rest }): WrittenEvent => ({
    ...rest,
    data: JSON.stringify({ note, ...(outcome !== null && { outcome }) }),
  }));

const query = fc.record(
  {
    sort: fc.constantFrom('occurred', 'event_type', 'actor'),
    order: fc.constantFrom('asc', 'desc'),
    q: word.filter((text) => text.length > 1),
    event_type: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 2 }),
    actor_type: fc.constantFrom(...ACTOR_TYPES),
    actor_id: fc.constantFrom('bot', people.ada.membershipId, people.ada.userId),
    subject: fc.constantFrom(['team'], ['approval_request', 's-1'], ['gateway', 'refund-bot']),
    outcome: fc.constantFrom(...OUTCOMES),
    from_at: instant,
    to_at: instant,
  },
  { requiredKeys: [] },
);
type Query = typeof query extends fc.Arbitrary<infer Value> ? Value : never;

const outcomeOf = (listed: Json): unknown => {
  const [type, verb = ''] = String(listed['event_type']).split('.');
  if (listed['data']?.['outcome'] !== undefined) return listed['data']['outcome'];
  if (type !== 'approval_request') return undefined;
  return verb === 'routed' ? 'human' : verb;
};

function matches(listed: Json, wanted: Query): boolean {
  const { q, event_type, actor_type, actor_id, subject, outcome, from_at, to_at } = wanted;
  const at = String(listed['occurred_at']);
  const self: string[] = [people.ada.membershipId, people.ada.userId];
  const actors = actor_id !== undefined && self.includes(actor_id) ? self : [actor_id];
  const texts = ['event_type', 'actor_display_name', 'actor_id', 'subject_id', 'id'].map((name) =>
    String(listed[name] ?? ''),
  );
  // Also as people see it, without the escapes of JSON.
  const plain = Object.values(listed['data'] ?? {}).map(String);
  return (
    (q === undefined ||
      [...texts, JSON.stringify(listed['data']), ...plain].some((text) =>
        text.toLowerCase().includes(q.toLowerCase()),
      )) &&
    (event_type?.includes(String(listed['event_type'])) ?? true) &&
    (actor_type === undefined || listed['actor_type'] === (actor_type as unknown)) &&
    (actor_id === undefined || actors.includes(String(listed['actor_id']))) &&
    (subject === undefined || listed['subject_type'] === (subject[0] as unknown)) &&
    (subject?.[1] === undefined || listed['subject_id'] === (subject[1] as unknown)) &&
    (outcome === undefined || outcomeOf(listed) === outcome) &&
    (from_at === undefined || at >= from_at) &&
    (to_at === undefined || at < to_at)
  );
}

const keyOf = (listed: Json, sort: string): string =>
  sort === 'event_type'
    ? String(listed['event_type'])
    : sort === 'actor'
      ? String(listed['actor_display_name'] ?? listed['actor_id'] ?? '').toLowerCase()
      : String(listed['occurred_at']);

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function sorted(events: readonly Json[], { sort = 'occurred', order = 'desc' }: Query): Json[] {
  const sign = order === 'asc' ? 1 : -1;
  return [...events].sort(
    (a, b) =>
      sign * compare(keyOf(a, sort), keyOf(b, sort)) ||
      compare(String(b['occurred_at']), String(a['occurred_at'])) ||
      Number(b['sequence']) - Number(a['sequence']),
  );
}

const sequences = (events: readonly Json[]) => events.map((each) => Number(each['sequence']));

/** Batches that end anywhere. */
const indexer = createIndexer(app.context, { batch: 7 });
const keepUp = async () => {
  await sealAll(app.context, { batch: 5 });
  await indexer.index([organization.id]);
};

test('a list has the events, the order and the count of a plain filter', async () => {
  const step = fc.record({
    added: fc.array(event, { maxLength: 12 }),
    kept: fc.constantFrom('nothing', 'sealed', 'sealed and indexed'),
    asked: fc.array(fc.tuple(query, fc.constantFrom('1', '3', '500')), {
      minLength: 4,
      maxLength: 4,
    }),
  });
  await fc.assert(
    fc.asyncProperty(step, async ({ added, kept, asked }) => {
      await write(app.db, organization.id, added);
      if (kept === 'sealed') await sealAll(app.context);
      if (kept === 'sealed and indexed') await keepUp();
      const { events: all } = await readAll(http, { limit: '500' });
      for (const [{ subject, ...wanted }, limit] of asked) {
        const whole = { ...wanted, ...(subject && { subject }) };
        const found = await readAll(http, {
          ...wanted,
          subject_type: subject?.[0],
          subject_id: subject?.[1],
          limit: all.length > 20 && limit === '1' ? '9' : limit,
        });
        const expected = sorted(
          all.filter((each) => matches(each, whole)),
          whole,
        );
        expect(sequences(found.events)).toEqual(sequences(expected));
        expect(new Set(found.totals)).toEqual(new Set([expected.length]));
      }
    }),
    { numRuns: 12 },
  );
});

test('an event is found while it is not sealed, sealed, and indexed, and counted once each time', async () => {
  const wanted = { event_type: 'once.found', q: 'needle' };
  const found = async () => {
    const { body } = await http.get(auditPath(wanted));
    const types = await http.get('/api/v1/audit/event_types');
    const without = await http.get(auditPath({ event_type: 'once.found' }));
    expect([...(types.body['event_types'] ?? [])]).toContain('once.found');
    return [[...(body['events'] ?? [])].length, body['total_count'], without.body['total_count']];
  };
  await write(app.db, organization.id, [{ eventType: 'once.found', data: '{"note":"a NEEDLE"}' }]);
  expect(await found()).toEqual([1, 1, 1]);
  await sealAll(app.context);
  expect(await found()).toEqual([1, 1, 1]);
  await keepUp();
  expect(await found()).toEqual([1, 1, 1]);
  const { rows } = await app.db.raw<{ rows: unknown[] }>(
    `select from audit_index where event_type = 'once.found'`,
  );
  expect(rows).toHaveLength(1);
});

test.each(['occurred', 'event_type', 'actor'] as const)(
  'a long list by %s is walked in the order of a short one, whatever is indexed',
  async (sort) => {
    const one = fc.sample(event, { numRuns: 60, seed: 7 });
    await write(app.db, organization.id, one.slice(0, 30));
    await keepUp();
    await write(app.db, organization.id, one.slice(30));
    const organizationId = organization.id;
    const tail = await readTailStart(app.db, organizationId);
    const wanted = { organizationId, tail, filter: indexFilter({}, []), q: undefined };
    for (const order of ['asc', 'desc'] as const) {
      const { events: all } = await readAll(http, { limit: '500', sort, order });
      for (const isDense of [true, false]) {
        const walked: number[] = [];
        for (let page: number[] = []; ;) {
          const last = page.at(-1);
          const after =
            last === undefined
              ? undefined
              : await findEventPlace(app.db, organizationId, { sort, sequence: last });
          page = await walkPage(app.db, wanted, { sort, order, after, limit: 7, isDense });
          walked.push(...page);
          if (page.length < 7) break;
        }
        expect(walked).toEqual(sequences(all));
      }
    }
  },
);
