/** The provisioner tokens of an agent, for its detail page. */
import type { AgentProvisioner } from '../../domain/agents/agent-provisioners.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryOne, queryRows, type Bindings } from '../../platform/rows.ts';
import type { AgentPage, Matching } from './agent-instance-lists.ts';
import { PROVISIONER_COLUMNS } from './agent-provisioners.ts';
import { anyContains, containsPattern } from '../text-search.ts';

export interface ProvisionerFilter {
  /** Part of the id or suffix. */
  readonly q?: string | undefined;
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
}

const STATUS = `case when revoked_at is not null then 'revoked'
                     when expires_at <= statement_timestamp() then 'expired' else 'active' end`;

/** SQL and its bindings: whether a token matches. */
function matches({ q, status }: ProvisionerFilter): { sql: string; bindings: Bindings } {
  const clauses = [
    ...(q ? [anyContains(['cast(id as text)', 'suffix'])] : []),
    ...(status ? [`${STATUS} = :status`] : []),
  ];
  return {
    sql: clauses.length === 0 ? 'true' : clauses.join(' and '),
    bindings: { ...(q && { pattern: containsPattern(q) }), ...(status && { status }) },
  };
}

export async function countProvisioners(
  db: Db,
  organizationId: string,
  { slug, filter }: Pick<AgentPage<ProvisionerFilter>, 'slug' | 'filter'>,
): Promise<Matching> {
  const { sql, bindings } = matches(filter);
  return await queryOne<Matching>(
    db,
    `select count(*) as count, count(*) filter (where ${sql}) as matching
       from agent_provisioners where organization_id = :organizationId and agent_slug = :slug`,
    { organizationId, slug, ...bindings },
  );
}

/** Newest first. */
export async function listProvisioners(
  db: Db,
  organizationId: string,
  { slug, filter, limit, offset }: AgentPage<ProvisionerFilter>,
): Promise<AgentProvisioner[]> {
  const { sql, bindings } = matches(filter);
  return await queryRows<AgentProvisioner>(
    db,
    `select ${PROVISIONER_COLUMNS}
       from agent_provisioners
      where organization_id = :organizationId and agent_slug = :slug and ${sql}
      order by issued_at desc, id desc limit :limit offset :offset`,
    { organizationId, slug, limit, offset, ...bindings },
  );
}
