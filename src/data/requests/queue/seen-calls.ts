/** The calls of a tool that an agent made, newest first, as far as the caller may see them. */
import type { ListAccess } from '../../../domain/requests/request-access.ts';
import type { Db } from '../../../platform/postgres.ts';
import { queryRows } from '../../../platform/rows.ts';
import { BATCH_BYTES, bytesOf } from '../../long-pages.ts';
import { MEMBER_PATHS, visible, type Bindings } from './access.ts';

export interface SeenCall {
  readonly id: string;
  readonly createdAt: Date;
  readonly server: string | null;
}

export interface SeenCallFilter {
  readonly access: ListAccess;
  readonly agentSlug: string;
  readonly tool: string;
  /** Absent: any server, and none. */
  readonly server?: string | undefined;
  readonly after?: Pick<SeenCall, 'id' | 'createdAt'> | undefined;
  /** How many requests of the agent are looked at. No index has their tools. */
  readonly lookAt: number;
}

/** `last`: where the next statement continues. Absent at the end of the list. */
export async function listSeenCalls(
  db: Db,
  organizationId: string,
  { access, agentSlug, tool, server, after, lookAt }: SeenCallFilter,
): Promise<{ readonly calls: readonly SeenCall[]; readonly last?: SeenCall }> {
  const bindings: Bindings = { organization: organizationId, agent: agentSlug, tool, lookAt };
  const wanted = ['r.tool = :tool', visible(access, bindings)];
  if (server !== undefined) {
    bindings['server'] = server;
    wanted.push('r.server = :server');
  }
  if (after) {
    bindings['after_id'] = after.id;
    bindings['after_at'] = after.createdAt.toISOString();
  }
  const rest = after
    ? 'and (r.created_at, r.id) < (cast(:after_at as timestamptz), cast(:after_id as uuid))'
    : '';
  const rows = await queryRows<SeenCall & { wanted: boolean; isLast: boolean }>(
    db,
    `with member_paths as materialized (${MEMBER_PATHS}),
     page as materialized (
       select r.id, r.created_at, r.agent_slug, r.tool, r.server, r.escalation_path_revision_id
         from approval_requests r
        where r.organization_id = :organization and r.agent_slug = :agent ${rest}
        order by r.created_at desc, r.id desc limit :lookAt
     ),
     looked_at as (
       select r.id, r.created_at, r.server, ${wanted.join(' and ')} as wanted,
              row_number() over (order by r.created_at desc, r.id desc) = :lookAt as is_last
         from page r
     )
     select id, created_at, server, wanted, is_last from looked_at
      where wanted or is_last order by created_at desc, id desc`,
    bindings as never,
  );
  const last = rows.find(({ isLast }) => isLast);
  return { calls: rows.filter((row) => row.wanted), ...(last && { last }) };
}

/** The arguments of the first of these requests: as many as one statement reads. A request that is gone is left out. */
export async function readArguments(
  db: Db,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly arguments: string }[]> {
  return await queryRows<{ id: string; arguments: string }>(
    db,
    `with sized as (
       select r.id, r.arguments, place, bytes, sum(bytes) over (order by place) as documents_end
         from unnest(cast(:ids as uuid[])) with ordinality as w (id, place)
         join approval_requests r on r.id = w.id
        cross join lateral (select ${bytesOf(['r.arguments'])} as bytes) as b
     )
     select id, arguments from sized
      where documents_end <= ${BATCH_BYTES} or documents_end = bytes order by place`,
    { ids: [...ids] },
  );
}
