/** What is stored about a request, to compare two that went different ways. */
import type { TestApp } from '../app.ts';

/**
 * Everything stored about a request. Instants are milliseconds since the hand-over, or the response of
 * rules.
 */
export async function storedOf({ db }: TestApp, id: string): Promise<Row> {
  const [request] = await db('approval_requests').where({ id });
  const { routed_at, deadline_at, wake_at, created_at: _created, ...columns } = request as Row;
  // Which transaction wrote the row differs by itself.
  const { changed_in: _changed, ...row } = columns;
  const of = (table: string) => db(table).where({ request_id: id });
  const decisions = await of('decisions');
  const audited = db('audit_events').where({ subject_id: id }).orderBy('sequence');
  const [created, ...events] = await audited;
  const { occurred_at: _at, ...creation } = created as Row;
  const stored = {
    row,
    decisions,
    creation,
    events,
    steps: await of('escalation_steps').orderBy('step_key'),
    notifications: await of('notifications').orderBy(['membership_id', 'step_key']),
    deliveries: await of('notification_deliveries').select('channel_id', 'event', 'announces'),
    wakesAfter: wake_at && Number(wake_at) - Number(row['next_at'] ?? deadline_at),
  };
  const since = Number(routed_at ?? row['updated_at']);
  const relative = JSON.stringify(stored).replaceAll(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    (at) => `${Date.parse(at) - since} ms`,
  );
  return withoutIds(JSON.parse(relative)) as Row;
}

type Row = Readonly<Record<string, unknown>>;

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const own = ['id', 'sequence', 'request_id', 'subject_id', 'idempotency_key'];
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      own.includes(key) ? [] : [[key, withoutIds(each)]],
    ),
  );
}
