/** The review queue: the rules of src/domain/requests/request-access.ts as SQL, newest first. */
import type { ApprovalRequest, RequestStatus } from '../../domain/requests/approval-requests.ts';
import type { PermissionScope } from '../../domain/people/authorization.ts';
import type { ListAccess } from '../../domain/requests/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import type { LongList } from '../../platform/long-list.ts';
import { queryRows } from '../../platform/rows.ts';
import { PRESENTATION_OF_REQUEST } from '../agents/tool-presentations.ts';
import { bytesOf, documentAtOnce, longPage, type SizedRow } from '../long-pages.ts';
import {
  DOCUMENT_COLUMNS,
  requestColumns,
  requestTables,
  toRequest,
  type RequestRow,
} from './rows.ts';
import { anyContains, containsPattern } from '../text-search.ts';

export type QueueScope = 'notified' | 'decidable' | 'visible';

export interface QueueFilter {
  readonly access: ListAccess;
  readonly scope: QueueScope;
  readonly status?: RequestStatus | undefined;
  readonly agentSlug?: string | undefined;
  /** Case-insensitive substring of tool or instance name. */
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export type Bindings = Record<string, string | number | boolean | readonly string[]>;

/** SQL that is true where the scope covers `r.agent_slug`. Adds its own binding. */
function covers(scope: PermissionScope | undefined, name: string, bindings: Bindings): string {
  if (!scope) return 'false';
  if (scope.all) return 'true';
  bindings[name] = [...scope.agentSlugs];
  return `r.agent_slug = any(cast(:${name} as text[]))`;
}

/** A member's list starts from their notifications up to this number of them. */
const FEW_NOTIFICATIONS = 5_000;

const NOTIFIED = `exists (
  select 1 from notifications n where n.membership_id = cast(:membership as uuid) and n.request_id = r.id)`;

/** The path revisions that can ask the member: by name, through a team, or in a broadcast. */
export const MEMBER_PATHS = `
  select distinct t.escalation_path_revision_id as id
    from escalation_path_targets t
    join escalation_path_revisions v on v.id = t.escalation_path_revision_id
    join escalation_paths p on p.id = v.escalation_path_id
   where p.organization_id = :organization
     and (t.target_type = 'broadcast' or t.membership_id = cast(:membership as uuid) or t.team_id = any(cast(:teams as uuid[])))`;

/**
 * One part of the list, read in order up to the page's end. With `from`, it is read once for each
 * row `s` of it. `r` is the request.
 */
interface Part {
  readonly from: string;
  readonly where: string;
}

function each(source: string, condition: string, where: string): Part {
  return { from: `(${source}) as s`, where: `${condition} and ${where}` };
}

/**
 * The rules of access as parts that together hold every request of the scope. A reader who may see
 * everything reads in the order of the queue. Other readers start from the few paths that ask them,
 * not from all waiting requests.
 */
function accessParts({ access, scope }: QueueFilter, bindings: Bindings): readonly Part[] {
  const decide = covers(access.decide, 'decide', bindings);
  const anyPath = [covers(access.decideRoutedToOthers, 'decide_routed_to_others', bindings)];
  const noPath = [decide];
  if (scope === 'visible') {
    anyPath.push(covers(access.readRoutedToOthers, 'read_routed_to_others', bindings));
    noPath.push(covers(access.read, 'read', bindings));
  }
  if (anyPath.includes('true')) return [{ from: '', where: 'true' }];
  const wide = anyPath
    .filter((clause) => clause !== 'false')
    .map((where): Part => ({ from: '', where }));
  const open = noPath.filter((clause) => clause !== 'false');
  const routedToOthers: Part[] =
    open.length === 0
      ? []
      : [{ from: '', where: `r.escalation_path_revision_id is null and (${open.join(' or ')})` }];
  if (decide === 'false') return [...wide, ...routedToOthers];
  const added =
    'select request_id as id from added_reviewers where membership_id = cast(:membership as uuid)';
  return [
    ...wide,
    ...routedToOthers,
    each('select id from member_paths', 'r.escalation_path_revision_id = s.id', decide),
    each(added, 'r.id = s.id', decide),
  ];
}

/** For readers who may see nothing. */
const NOTHING: Part = { from: '', where: 'false' };

/** Whether the member may decide the request, however it was found. */
function decidable({ access }: Pick<QueueFilter, 'access'>, bindings: Bindings): string {
  return `(${covers(access.decideRoutedToOthers, 'decide_routed_to_others', bindings)}
    or (${covers(access.decide, 'decide', bindings)}
        and (r.escalation_path_revision_id is null
          or r.escalation_path_revision_id in (select id from member_paths)
          or exists (select 1 from added_reviewers a where a.request_id = r.id and a.membership_id = cast(:membership as uuid)))))`;
}

/**
 * Whether the caller may see the request `r`, however it was found. It needs MEMBER_PATHS as
 * `member_paths`.
 */
export function visible(access: ListAccess, bindings: Bindings): string {
  bindings['membership'] = access.membershipId;
  bindings['teams'] = [...access.teamIds];
  return `(${covers(access.readRoutedToOthers, 'read_routed_to_others', bindings)}
    or (r.escalation_path_revision_id is null and ${covers(access.read, 'read', bindings)})
    or ${decidable({ access }, bindings)})`;
}

/**
 * A member with few notifications starts from these. A member with many soon meets one among the
 * requests they may decide.
 */
function partsOf(filter: QueueFilter, bindings: Bindings): readonly Part[] {
  bindings['membership'] = filter.access.membershipId;
  bindings['teams'] = [...filter.access.teamIds];
  const parts = accessParts(filter, bindings);
  if (filter.scope !== 'notified') return parts;
  const notifiedRequests =
    'select distinct request_id as id from notifications where membership_id = cast(:membership as uuid)';
  return [
    each(
      `${notifiedRequests} and (select few from notification_count)`,
      'r.id = s.id',
      decidable(filter, bindings),
    ),
    ...parts.map((part) => ({
      ...part,
      where: `not (select few from notification_count) and ${part.where} and ${NOTIFIED}`,
    })),
  ];
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
  if (filter.status !== undefined) {
    bindings['status'] = filter.status;
    clauses.push('r.state = :status');
  } else if (filter.agentSlug === undefined) clauses.push(`r.state <> 'cancelled'`);
  if (filter.q !== undefined && filter.q !== '') {
    bindings['pattern'] = containsPattern(filter.q);
    clauses.push(anyContains(['r.tool', 'r.agent_instance_name']));
  }
  return clauses;
}

/** The statement and its bindings, without running it: a test reads its plan. */
export function queueQuery(
  organizationId: string,
  filter: QueueFilter,
): { sql: string; bindings: Bindings } {
  const { limit, offset } = filter;
  const bindings: Bindings = {
    organization: organizationId,
    limit,
    offset,
    reach: limit + offset,
    few: FEW_NOTIFICATIONS,
  };
  const selected = ['r.organization_id = :organization', ...selectionClauses(filter, bindings)];
  const wanted = partsOf(filter, bindings);
  const parts = (wanted.length === 0 ? [NOTHING] : wanted).map(({ from, where }) => {
    const found = `select r.id, r.created_at from approval_requests r
       where ${[...selected, where].join('\n and ')}
       order by r.created_at desc, r.id desc limit :reach`;
    return from === ''
      ? `(${found})`
      : `(select f.id, f.created_at from ${from} cross join lateral (${found}) as f)`;
  });
  const sql = `
    with member_paths as materialized (${MEMBER_PATHS}),
    notification_count as materialized (
      select count(*) <= :few as few
        from (select 1 from notifications where membership_id = cast(:membership as uuid) limit :few + 1) as n
    ),
    page as (
      select id, created_at from (${parts.join('\n union ')}) as found
       order by created_at desc, id desc limit :limit offset :offset
    )
    select ${COLUMNS}, r.documents_end, ${PRESENTATION_OF_REQUEST} as presentation_id
      from ${requestTables(SIZED)}
     order by r.created_at desc, r.id desc`;
  return { sql, bindings };
}

const COLUMNS = requestColumns(documentAtOnce);
const SIZED = `(
  select r.*, sum(${bytesOf(DOCUMENT_COLUMNS.map((column) => `r.${column}`))})
           over (order by r.created_at desc, r.id desc rows unbounded preceding) as documents_end
    from page join approval_requests r on r.id = page.id)`;

type QueueRow = RequestRow & SizedRow & { readonly presentationId: string | null };

/** A request, and the organization's own presentation of its tool. */
export interface QueueEntry {
  readonly request: ApprovalRequest;
  readonly presentationId: string | undefined;
}

export interface QueuePage {
  readonly entries: LongList<QueueEntry>;
  /** Each once. */
  readonly presentationIds: readonly string[];
}

export async function listQueue(
  db: Db,
  organizationId: string,
  filter: QueueFilter,
): Promise<QueuePage> {
  const { sql, bindings } = queueQuery(organizationId, filter);
  const rows = await queryRows<QueueRow>(db, sql, bindings as never);
  const read = async (ids: string[]) => await findDocuments(db, organizationId, ids);
  const build = (row: QueueRow) => ({
    request: toRequest(row),
    presentationId: row.presentationId ?? undefined,
  });
  const found = rows.flatMap(({ presentationId }) => presentationId ?? []);
  return { entries: longPage(rows, { read, build }), presentationIds: [...new Set(found)] };
}

async function findDocuments(db: Db, organizationId: string, ids: string[]) {
  return await queryRows<Pick<RequestRow, 'id' | 'arguments' | 'agentReasoning' | 'context'>>(
    db,
    `select id, ${DOCUMENT_COLUMNS.join(', ')} from approval_requests
      where organization_id = :organizationId and id = any(:ids)`,
    { organizationId, ids },
  );
}
