/** The address of the audit log as filters of the API. What is none is left out. */
import {
  AUDIT_ACTOR_TYPES,
  AUDIT_OUTCOMES,
  AUDIT_QUERY_LENGTH,
  COLUMN_SEPARATOR,
} from '../../../../src/domain/audit/filters.ts';
import type { AuditSearch } from './audit-search.ts';

export const ORDERS = ['newest', 'oldest', 'event', 'actor'] as const;

export const oneOf = <Value extends string>(
  values: readonly Value[],
  value: string | undefined,
): Value | undefined => values.find((each) => each === value);

const matching = (pattern: RegExp, value: string | undefined): string | undefined =>
  value !== undefined && pattern.test(value) ? value : undefined;

const TYPE = /^[a-z0-9_]{1,50}(\.[a-z0-9_]{1,49})+$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The first instant of a day of the reader, some days later. */
function startOf(day: string | undefined, later = 0): string | undefined {
  if (day === undefined || !DAY.test(day) || Number.isNaN(Date.parse(day))) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

const isSearchable = (q: string | undefined): boolean =>
  q !== undefined && q.length >= AUDIT_QUERY_LENGTH.min && !q.includes(COLUMN_SEPARATOR);

export function filterOf(search: AuditSearch) {
  const type = matching(TYPE, search.type);
  const kind = matching(/^[a-z0-9_]{1,100}$/, search.kind);
  const { subject, actor } = search;
  return defined({
    q: isSearchable(search.q) ? search.q : undefined,
    event_type: type === undefined ? undefined : [type],
    subject_type: kind,
    subject_id: kind === undefined ? undefined : subject,
    actor_type: oneOf(AUDIT_ACTOR_TYPES, search.by),
    actor_id: actor,
    outcome: oneOf(AUDIT_OUTCOMES, search.outcome),
    from_at: startOf(search.from),
    to_at: startOf(search.to, 1),
  });
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

const defined = <Members extends object>(members: Members): Defined<Members> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<Members>;

/** Whether something narrows the list. */
export const isFiltered = (search: AuditSearch): boolean =>
  Object.keys(filterOf(search)).length > 0;

/** The same as the query of an address. */
export function filterQuery(search: AuditSearch): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filterOf(search)))
    for (const each of [value].flat()) query.append(name, each);
  return query;
}
