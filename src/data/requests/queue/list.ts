/** Pages of the review queue: which requests, in which order. The requests themselves: in full here, shortened in summaries.ts. */
import type { ApprovalRequest, RequestStatus } from '../../../domain/requests/approval-requests.ts';
import type { Db } from '../../../platform/postgres.ts';
import type { LongList } from '../../../platform/long-list.ts';
import { queryRows } from '../../../platform/rows.ts';
import { PRESENTATION_OF_REQUEST } from '../../agents/tool-presentations.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from '../../long-pages.ts';
import { findDocuments } from '../read.ts';
import {
  DOCUMENT_COLUMNS,
  requestColumns,
  requestTables,
  toRequest,
  type RequestRow,
} from '../rows.ts';
import { anyContains, containsPattern } from '../../text-search.ts';
import {
  FEW_NOTIFICATIONS,
  partsOf,
  READER_TABLES,
  readPart,
  type Bindings,
  type QueueReader,
} from './access.ts';

/** Newest first, by the deadline that comes first, or the same with urgent requests before the others. */
export type QueueSort = 'created' | 'deadline' | 'urgency';

/** Where a list continues: after this request, by the instant it is sorted by. */
export interface QueuePosition {
  readonly at: Date;
  readonly id: string;
  /** Only matters where the list is sorted by urgency. */
  readonly isUrgent: boolean;
}

/** By the claim that is live now. */
export type ClaimFilter = 'me' | 'others' | 'nobody';

export interface QueueFilter extends QueueReader {
  /** `decided`: with any decision. */
  readonly status?: RequestStatus | 'decided' | undefined;
  readonly agentSlug?: string | undefined;
  /** Words. Each is in the id, the beginning of the arguments, or a name: of tool, server, agent or instance. */
  readonly q?: string | undefined;
  readonly tool?: string | undefined;
  readonly urgency?: ApprovalRequest['urgency'] | undefined;
  readonly claimed?: ClaimFilter | undefined;
  readonly sort?: QueueSort | undefined;
  readonly after?: QueuePosition | undefined;
  /** Looks for one row more than the page holds, to know whether another page follows. */
  readonly paged?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** SQL: false before true, so urgent ones come first. */
const isCalm = (table: string): string => `(${table}.urgency <> 'interrupt')`;

const ORDERS = {
  created: { keys: (table: string) => [`${table}.created_at`], direction: 'desc', beyond: '<' },
  deadline: { keys: (table: string) => [`${table}.deadline_at`], direction: 'asc', beyond: '>' },
  urgency: {
    keys: (table: string) => [isCalm(table), `${table}.deadline_at`],
    direction: 'asc',
    beyond: '>',
  },
} as const;

/** SQL: the order of the rows `table`, as the filter sorts. */
export function orderBy({ sort = 'created' }: QueueFilter, table: string): string {
  const { keys, direction } = ORDERS[sort];
  return [...keys(table), `${table}.id`].map((key) => `${key} ${direction}`).join(', ');
}

const LIVE_CLAIM = `
  select from claims c
   where c.request_id = r.id and c.ended_at is null and c.expires_at > greatest(clock_timestamp(), r.last_at)`;

const CLAIMED: Readonly<Record<ClaimFilter, string>> = {
  me: `r.state = 'pending' and exists (${LIVE_CLAIM} and c.membership_id = cast(:membership as uuid))`,
  others: `r.state = 'pending' and exists (${LIVE_CLAIM} and c.membership_id <> cast(:membership as uuid))`,
  nobody: `not (r.state = 'pending' and exists (${LIVE_CLAIM}))`,
};

/** A search reads so much of the arguments of each request: what rows show is in it. */
const SEARCHED_CHARACTERS = 4_000;

const SEARCHED = [
  'r.tool',
  'r.server',
  'r.agent_slug',
  'r.agent_name',
  'r.agent_instance_name',
  'cast(r.id as text)',
  `left(cast(r.arguments as text), ${SEARCHED_CHARACTERS})`,
];

const MOST_WORDS = 8;

/** More words than that are one text. */
function wordsOf(q: string): readonly string[] {
  const words = q.split(/\s+/).filter((word) => word !== '');
  return words.length > MOST_WORDS ? [q.trim()] : words;
}

/**
 * Requests that reached people. An agent's list also holds what the pipeline decided, but never
 * what it still evaluates. Withdrawn requests are listed only when the filter names a status or an
 * agent.
 */
function selectionClauses(filter: QueueFilter, bindings: Bindings): string[] {
  const clauses: string[] = [];
  if (filter.agentSlug === undefined) clauses.push('r.routed_at is not null');
  else {
    bindings['agent'] = filter.agentSlug;
    clauses.push(`r.agent_slug = :agent`, `r.state <> 'evaluating'`);
  }
  if (filter.status === 'decided') clauses.push(`r.state not in ('evaluating', 'pending')`);
  else if (filter.status !== undefined) {
    bindings['status'] = filter.status;
    clauses.push('r.state = :status');
  } else if (filter.agentSlug === undefined) clauses.push(`r.state <> 'cancelled'`);
  for (const [index, word] of wordsOf(filter.q ?? '').entries()) {
    bindings[`word_${index}`] = containsPattern(word);
    clauses.push(anyContains(SEARCHED, `word_${index}`));
  }
  return [...clauses, ...narrowingClauses(filter, bindings)];
}

function narrowingClauses(
  filter: Pick<QueueFilter, 'tool' | 'urgency' | 'claimed' | 'after' | 'sort'>,
  bindings: Bindings,
): string[] {
  const { tool, urgency, claimed, after, sort = 'created' } = filter;
  const clauses: string[] = [];
  if (tool !== undefined) {
    bindings['tool'] = tool;
    clauses.push('r.tool = :tool');
  }
  if (urgency !== undefined) {
    bindings['urgency'] = urgency;
    clauses.push('r.urgency = :urgency');
  }
  if (claimed !== undefined) clauses.push(CLAIMED[claimed]);
  if (after !== undefined) {
    const { keys, beyond } = ORDERS[sort];
    bindings['after_at'] = after.at;
    bindings['after_id'] = after.id;
    if (sort === 'urgency') bindings['after_calm'] = !after.isUrgent;
    const values = [
      ...(sort === 'urgency' ? ['cast(:after_calm as boolean)'] : []),
      'cast(:after_at as timestamptz)',
      'cast(:after_id as uuid)',
    ];
    clauses.push(`(${[...keys('r'), 'r.id'].join(', ')}) ${beyond} (${values.join(', ')})`);
  }
  return clauses;
}

/** SQL: `with` and the ids of a page as `page`, which statements read the requests of. */
export function pageOf(
  organizationId: string,
  filter: QueueFilter,
): { readonly sql: string; readonly bindings: Bindings } {
  const { offset } = filter;
  const limit = filter.limit + (filter.paged ? 1 : 0);
  const bindings: Bindings = {
    organization: organizationId,
    limit,
    offset,
    reach: limit + offset,
    few: FEW_NOTIFICATIONS,
  };
  const selected = ['r.organization_id = :organization', ...selectionClauses(filter, bindings)];
  const parts = partsOf(filter, bindings).map((part) =>
    readPart(
      part,
      (where) => `select r.id, r.created_at, r.deadline_at, r.urgency from approval_requests r
       where ${[...selected, where].join('\n and ')}
       order by ${orderBy(filter, 'r')} limit :reach`,
    ),
  );
  const sql = `
    with ${READER_TABLES},
    page as (
      select found.id from (${parts.join('\n union ')}) as found
       order by ${orderBy(filter, 'found')} limit :limit offset :offset
    )`;
  return { sql, bindings };
}

/** The statement and its bindings, without running it: a test reads its plan. */
export function queueQuery(
  organizationId: string,
  filter: QueueFilter,
): { sql: string; bindings: Bindings } {
  const { sql: page, bindings } = pageOf(organizationId, filter);
  const order = orderBy(filter, 'r');
  const sized = `(
    select r.*, sum(${bytesOf(DOCUMENT_COLUMNS.map((each) => `r.${each}`))})
             over (order by ${order} rows unbounded preceding) as documents_end
      from page join approval_requests r on r.id = page.id)`;
  const sql = `${page}
    select ${requestColumns(documentAtOnce)}, r.documents_end, ${PRESENTATION_OF_REQUEST} as presentation_id
      from ${requestTables(sized)}
     order by ${order}`;
  return { sql, bindings };
}

type QueueRow = RequestRow & SizedRow & { readonly presentationId: string | null };

/** A request, and the organization's own presentation of its tool. */
export interface QueueEntry {
  readonly request: ApprovalRequest;
  readonly presentationId: string | undefined;
}

export interface QueuePage {
  readonly entries: LongList<QueueEntry>;
  readonly ids: readonly string[];
  /** Each once. */
  readonly presentationIds: readonly string[];
  /** Absent on the last page, and unless the filter is `paged`. */
  readonly next: QueuePosition | undefined;
}

export async function listQueue(
  db: Db,
  organizationId: string,
  filter: QueueFilter,
): Promise<QueuePage> {
  const { sql, bindings } = queueQuery(organizationId, filter);
  const found = await queryRows<QueueRow>(db, sql, bindings as never);
  const { rows, next } = endPage(found, filter);
  const read = async (ids: string[]) => await findDocuments(db, organizationId, ids);
  const build = (row: QueueRow) => ({
    request: toRequest(row),
    presentationId: row.presentationId ?? undefined,
  });
  const presentationIds = rows.flatMap(({ presentationId }) => presentationId ?? []);
  return {
    entries: longPage(rows, { read, build }),
    ids: rows.map(({ id }) => id),
    presentationIds: [...new Set(presentationIds)],
    next,
  };
}

/** Without the row that only shows that another page follows. */
export function endPage<
  Row extends {
    readonly id: string;
    readonly createdAt: Date;
    readonly deadlineAt: Date;
    readonly urgency: ApprovalRequest['urgency'];
  },
>(
  found: readonly Row[],
  { limit, sort = 'created' }: QueueFilter,
): { readonly rows: readonly Row[]; readonly next: QueuePosition | undefined } {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const at = sort === 'created' ? last?.createdAt : last?.deadlineAt;
  const isUrgent = last?.urgency === 'interrupt';
  return { rows, next: last && at && { at, id: last.id, isUrgent } };
}
