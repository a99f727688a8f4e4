/** Rows of the queue without their documents. Of long arguments, only the ends are read. */
import type { RequestFacts } from '../../../domain/requests/approval-requests.ts';
import {
  EXCERPT_END_CHARACTERS,
  EXCERPT_START_CHARACTERS,
} from '../../../domain/requests/excerpt.ts';
import type { ExcerptSource } from '../../../domain/requests/excerpt-ends.ts';
import type { Place } from '../../../domain/escalation/walk-state.ts';
import type { HiddenNames } from '../../../domain/shown/hidden-names.ts';
import { toHiddenNames, type HiddenNamesRow } from '../../organization/organizations.ts';
import type { Db } from '../../../platform/postgres.ts';
import { queryRows } from '../../../platform/rows.ts';
import { PRESENTATION_OF_REQUEST } from '../../agents/tool-presentations.ts';
import { FACT_COLUMNS, requestTables, toFacts, type FactRow } from '../rows.ts';
import type { Bindings } from './access.ts';
import { endPage, orderBy, pageOf, type QueueFilter, type QueuePosition } from './list.ts';

export interface SummaryEntry {
  readonly facts: RequestFacts;
  readonly argumentsBytes: number;
  /** Their source text, or its ends. */
  readonly excerptSource: ExcerptSource;
  /** Of the walk. Null before its first step, and without a path. */
  readonly phase: Place['phase'] | null;
  /** It is still open, although its deadline has passed. */
  readonly pastDeadline: boolean;
  /** A reviewer added the caller. */
  readonly isAdded: boolean;
  /** When the caller was first notified. */
  readonly notifiedAt: Date | null;
  /** The organization's own presentation of the tool. */
  readonly presentationId: string | null;
  /** Which names of arguments hide their values. */
  readonly hiddenNames: HiddenNames;
}

type SummaryRow = FactRow &
  Omit<SummaryEntry, 'facts' | 'hiddenNames' | 'excerptSource'> &
  HiddenNamesRow & {
    readonly argumentsStart: string;
    readonly argumentsEnd: string | null;
    readonly argumentsCharacters: number;
  };

/**
 * SQL: the summaries of `page`. A separate lateral query reads the arguments of a row once. Their end is returned where it
 * begins inside the text in which their start ends: no quotation mark is between them, and none is the first character of the end.
 */
const SUMMARIES = `
  select ${FACT_COLUMNS}, octet_length(a.source) as arguments_bytes, left(a.source, :excerpt_start) as arguments_start,
         b.characters as arguments_characters,
         case when b.characters > :excerpt_start
               and strpos(substr(a.source, :excerpt_start + 1, b.end_at - :excerpt_start), '"') = 0
               and substr(a.source, b.end_at, 1) <> chr(92)
              then substr(a.source, b.end_at + 1) end as arguments_end,
         r.walk ->> 'phase' as phase, d.id is null and r.deadline_at <= clock_timestamp() as past_deadline,
         exists (select from added_reviewers v
                  where v.request_id = r.id and v.membership_id = cast(:membership as uuid)) as is_added,
         (select min(n.created_at) from notifications n
           where n.request_id = r.id and n.membership_id = cast(:membership as uuid)) as notified_at,
         ${PRESENTATION_OF_REQUEST} as presentation_id, org.hides_secret_names, org.hidden_names
    from ${requestTables('(select r.* from page join approval_requests r on r.id = page.id)')}
   join organizations org on org.id = r.organization_id
   cross join lateral (select cast(r.arguments as text) as source offset 0) as a
   cross join lateral (select length(a.source) as characters,
                              greatest(length(a.source) - :excerpt_end, :excerpt_start) as end_at offset 0) as b`;

const EXCERPT_BINDINGS = {
  excerpt_start: EXCERPT_START_CHARACTERS,
  excerpt_end: EXCERPT_END_CHARACTERS,
};

function summariesQuery(
  organizationId: string,
  filter: QueueFilter,
): { sql: string; bindings: Bindings } {
  const { sql: page, bindings } = pageOf(organizationId, filter);
  return {
    sql: `${page} ${SUMMARIES} order by ${orderBy(filter, 'r')}`,
    bindings: { ...bindings, ...EXCERPT_BINDINGS },
  };
}

export async function listSummaries(
  db: Db,
  organizationId: string,
  filter: QueueFilter,
): Promise<{
  readonly entries: readonly SummaryEntry[];
  readonly next: QueuePosition | undefined;
}> {
  const { sql, bindings } = summariesQuery(organizationId, filter);
  const { rows, next } = endPage(await queryRows<SummaryRow>(db, sql, bindings as never), filter);
  return { entries: rows.map(toEntry), next };
}

/** Newest first. The caller may see them. */
export async function findSummaries(
  db: Db,
  organizationId: string,
  { ids, membershipId }: { readonly ids: readonly string[]; readonly membershipId: string },
): Promise<SummaryEntry[]> {
  if (ids.length === 0) return [];
  const rows = await queryRows<SummaryRow>(
    db,
    `with page as (
       select id from approval_requests where organization_id = :organizationId and id = any(cast(:ids as uuid[]))
     )
     ${SUMMARIES} order by r.created_at desc, r.id desc`,
    {
      organizationId,
      ids: [...ids],
      membership: membershipId,
      ...EXCERPT_BINDINGS,
    },
  );
  return rows.map(toEntry);
}

function toEntry(row: SummaryRow): SummaryEntry {
  const { argumentsBytes, phase, pastDeadline, isAdded, notifiedAt } = row;
  const { presentationId, argumentsStart, argumentsEnd, argumentsCharacters } = row;
  return {
    facts: toFacts(row),
    hiddenNames: toHiddenNames(row),
    excerptSource: { start: argumentsStart, end: argumentsEnd, characters: argumentsCharacters },
    ...{ argumentsBytes, phase, pastDeadline, isAdded, notifiedAt, presentationId },
  };
}
