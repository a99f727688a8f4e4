/** SQL for which audit events a reader wants. */
import { AUDIT_OUTCOMES, type AuditFilter } from '../../domain/audit/filters.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows, type Bindings } from '../../platform/rows.ts';
import { anyContains, containsPattern } from '../text-search.ts';

/** Conditions on a row of the table `e`, with their bindings. */
export interface FilterSql {
  /** Begins with `and`, or is empty. */
  readonly sql: string;
  readonly bindings: Bindings;
}

const DATA = 'cast(e.data as text)';

/** What JSON puts into a string for a character. An escaped backslash comes first: it escapes nothing after it. */
const ESCAPES = [
  [String.raw`'\\'`, String.raw`'\u005c'`],
  [String.raw`'\"'`, `'"'`],
  [String.raw`'\/'`, `'/'`],
  [String.raw`'\n'`, 'chr(10)'],
  [String.raw`'\r'`, 'chr(13)'],
  [String.raw`'\t'`, 'chr(9)'],
  [String.raw`'\b'`, 'chr(8)'],
  [String.raw`'\f'`, 'chr(12)'],
] as const;

/** Either half of a pair alone, and zero: no text of Postgres can hold them. The first group is a whole pair. */
const WITHOUT_TEXT = String.raw`(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\u(d[89a-f][0-9a-f]{2}|0000)`;

const UNESCAPED = ESCAPES.reduce((sql, [from, to]) => `replace(${sql}, ${from}, ${to})`, DATA);

/** SQL: the data as people see it, without the escapes of JSON. Null where it has none. */
const DATA_SEEN = String.raw`case when strpos(${DATA}, '\') > 0
  then unistr(regexp_replace(${UNESCAPED}, '${WITHOUT_TEXT}', '\1', 'gi')) end`;

/** What `q` looks at. */
export const SEARCHED = [
  'e.event_type',
  'e.actor_display_name',
  'e.actor_id',
  'e.subject_id',
  'cast(e.id as text)',
  DATA,
  DATA_SEEN,
];

/** An escape in JSON that no text of Postgres can hold. An operator on such data would fail. */
const UNREADABLE = String.raw`\\u(0000|d[89a-f])`;

const RECORDED_OUTCOME = `coalesce(
  case when cast(e.data as text) like '%"outcome"%' and cast(e.data as text) !~* '${UNREADABLE}' then e.data ->> 'outcome' end,
  case e.event_type when 'approval_request.approved' then 'approved' when 'approval_request.denied' then 'denied'
    when 'approval_request.expired' then 'expired' when 'approval_request.cancelled' then 'cancelled'
    when 'approval_request.routed' then 'human' end)`;

/** SQL: the outcome that an event records, one of those that a filter can name, or null. */
export const OUTCOME = `(select o.outcome from (select ${RECORDED_OUTCOME} as outcome) o
  where o.outcome in (${AUDIT_OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')}))`;

/** SQL for what differs between events and their index. */
export interface SearchedRows {
  readonly outcome: string;
  /** Whether the row contains the text of `:pattern`. */
  readonly contains: string;
}

const EVENTS: SearchedRows = { outcome: RECORDED_OUTCOME, contains: anyContains(SEARCHED) };

/** `actorIds`: those that `filter.actorId` stands for (`actorIdsOf`). */
export function filterSql(
  filter: AuditFilter,
  actorIds: readonly string[],
  { outcome: outcomeSql, contains } = EVENTS,
): FilterSql {
  const { q, eventTypes, actorType, actorId, subjectType, subjectId, outcome, fromAt, toAt } =
    filter;
  const conditions = [
    [q, contains, { pattern: containsPattern(q ?? ''), q: q ?? '' }],
    [
      eventTypes,
      'e.event_type = any (cast(:eventTypes as text[]))',
      { eventTypes: eventTypes ?? [] },
    ],
    [actorType, 'e.actor_type = :actorType', { actorType: actorType ?? null }],
    [actorId, 'e.actor_id = any (cast(:actorIds as text[]))', { actorIds }],
    [subjectType, 'e.subject_type = :subjectType', { subjectType: subjectType ?? null }],
    [subjectId, 'e.subject_id = :subjectId', { subjectId: subjectId ?? null }],
    [outcome, `${outcomeSql} = :outcome`, { outcome: outcome ?? null }],
    [fromAt, 'e.occurred_at >= :fromAt', { fromAt: fromAt ?? null }],
    [toAt, 'e.occurred_at < :toAt', { toAt: toAt ?? null }],
  ] as const;
  const used = conditions.filter(([wanted]) => wanted !== undefined);
  return {
    sql: used.map(([, condition]) => ` and ${condition}`).join(''),
    bindings: Object.assign({}, ...used.map(([, , bindings]) => bindings)) as Bindings,
  };
}

/** The ids that an actor is recorded under: a membership also has its user, and a user its membership. */
export async function actorIdsOf(
  db: Db,
  organizationId: string,
  actorId: string | undefined,
): Promise<readonly string[]> {
  if (actorId === undefined) return [];
  const rows = await queryRows<{ id: string; userId: string }>(
    db,
    `select id, user_id from memberships
      where organization_id = :organizationId and (cast(id as text) = :actorId or cast(user_id as text) = :actorId)`,
    { organizationId, actorId },
  );
  return [...new Set([actorId, ...rows.flatMap(({ id, userId }) => [id, userId])])];
}
