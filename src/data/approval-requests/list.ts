/** The review queue: the rules of src/domain/request-access.ts as SQL, newest first. */
import type { ApprovalRequest, RequestStatus } from '../../domain/approval-requests.ts';
import type { PermissionScope } from '../../domain/authorization.ts';
import type { ListAccess } from '../../domain/request-access.ts';
import type { Db } from '../../platform/postgres.ts';
import { REQUEST_COLUMNS, REQUEST_TABLES, toRequest, type RequestRow } from './rows.ts';

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

type Bindings = Record<string, string | number | boolean | readonly string[]>;

/** SQL that is true where the scope covers `r.agent_slug`; adds its own binding. */
function covers(scope: PermissionScope | undefined, name: string, bindings: Bindings): string {
  if (!scope) return 'false';
  if (scope.all) return 'true';
  bindings[name] = [...scope.agentSlugs];
  return `r.agent_slug = any(cast(:${name} as text[]))`;
}

const ON_PATH = `(r.escalation_path_revision_id is null
  or exists (
    select 1 from escalation_path_targets t
     where t.escalation_path_revision_id = r.escalation_path_revision_id
       and (t.target_type = 'broadcast' or t.membership_id = cast(:membership as uuid) or t.team_id = any(cast(:teams as uuid[]))))
  or exists (select 1 from added_reviewers a where a.request_id = r.id and a.membership_id = cast(:membership as uuid)))`;

const NOTIFIED = `exists (
  select 1 from notifications n where n.membership_id = cast(:membership as uuid) and n.request_id = r.id)`;

function accessClause({ access, scope }: QueueFilter, bindings: Bindings): string {
  bindings['membership'] = access.membershipId;
  bindings['teams'] = [...access.teamIds];
  const decidable = `(${covers(access.decideUnrouted, 'decide_unrouted', bindings)}
    or (${covers(access.decide, 'decide', bindings)} and ${ON_PATH}))`;
  if (scope === 'decidable') return decidable;
  if (scope === 'notified') return `(${NOTIFIED} and ${decidable})`;
  return `(${decidable} or ${covers(access.readUnrouted, 'read_unrouted', bindings)}
    or (r.escalation_path_revision_id is null and ${covers(access.read, 'read', bindings)}))`;
}

/**
 * What people had to look at; an agent's list also holds what the pipeline decided, and never what it still evaluates.
 * Withdrawn requests are listed only when asked for by status or agent.
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
    bindings['pattern'] = `%${filter.q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    // The database's own collation may know no letters beyond ASCII.
    clauses.push('(r.tool collate "pg_c_utf8" ilike :pattern or r.agent_instance_name collate "pg_c_utf8" ilike :pattern)');
  }
  return clauses;
}

/** The statement and its bindings, apart from running it: a test reads its plan. */
export function queueQuery(organizationId: string, filter: QueueFilter): { sql: string; bindings: Bindings } {
  const bindings: Bindings = { organization: organizationId, limit: filter.limit, offset: filter.offset };
  const where = ['r.organization_id = :organization', ...selectionClauses(filter, bindings), accessClause(filter, bindings)];
  const sql = `
    with page as (
      select r.id, r.created_at from approval_requests r
       where ${where.join('\n and ')}
       order by r.created_at desc, r.id desc limit :limit offset :offset
    )
    select ${REQUEST_COLUMNS}
      from page join (${REQUEST_TABLES}) on r.id = page.id
     order by r.created_at desc, r.id desc`;
  return { sql, bindings };
}

export async function listQueue(db: Db, organizationId: string, filter: QueueFilter): Promise<ApprovalRequest[]> {
  const { sql, bindings } = queueQuery(organizationId, filter);
  const { rows } = await db.raw<{ rows: RequestRow[] }>(sql, bindings as never);
  return rows.map(toRequest);
}
