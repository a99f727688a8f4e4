/** What of a server's tools an agent may call through an MCP gateway. */
import type { ToolAccess, WantedToolAccess } from '../../domain/agents/tool-access.ts';
import { LongList } from '../../platform/long-list.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';

const COLUMNS = 'server_slug, access, tools, revision, updated_at';

/** How many servers one statement reads: each may have a thousand tools. */
const BATCH_SERVERS = 20;

interface OfAgent {
  readonly organizationId: string;
  readonly agentSlug: string;
}

/** The number of changes so far; undefined for an unknown agent. */
export async function findToolAccessRevision(
  db: Db,
  { organizationId, agentSlug }: OfAgent,
): Promise<number | undefined> {
  const row = await queryRow<{ revision: number }>(
    db,
    `select tool_access_revision as revision from agents where organization_id = :organizationId and slug = :agentSlug`,
    { organizationId, agentSlug },
  );
  return row?.revision;
}

/** All servers of an agent, by slug. */
export async function listToolAccess(db: Db, of: OfAgent): Promise<LongList<ToolAccess>> {
  const read = async (after: string) =>
    await queryRows<ToolAccess>(
      db,
      `select ${COLUMNS} from tool_access
        where organization_id = :organizationId and agent_slug = :agentSlug and server_slug > :after
        order by server_slug limit :limit`,
      { ...of, after, limit: BATCH_SERVERS },
    );
  const first = await read('');
  return new LongList(first, first.length < BATCH_SERVERS ? undefined : following(first, read));
}

async function* following(
  first: readonly ToolAccess[],
  read: (after: string) => Promise<readonly ToolAccess[]>,
): AsyncGenerator<readonly ToolAccess[]> {
  for (let last = first.at(-1); last !== undefined;) {
    const servers = await read(last.serverSlug);
    yield servers;
    last = servers.length < BATCH_SERVERS ? undefined : servers.at(-1);
  }
}

export async function findToolAccess(
  db: Db,
  { serverSlug, ...of }: OfAgent & { readonly serverSlug: string },
): Promise<ToolAccess | undefined> {
  return await queryRow<ToolAccess>(
    db,
    `select ${COLUMNS} from tool_access
      where organization_id = :organizationId and agent_slug = :agentSlug and server_slug = :serverSlug`,
    { ...of, serverSlug },
  );
}

export async function countServers(db: Db, of: OfAgent): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    db,
    `select count(*) as count from tool_access where organization_id = :organizationId and agent_slug = :agentSlug`,
    { ...of },
  );
  return count;
}

/** Stores the access to a server under the next revision of a locked agent. */
export async function putToolAccess(
  trx: Trx,
  { serverSlug, ...of }: OfAgent & { readonly serverSlug: string },
  { access, tools }: WantedToolAccess,
): Promise<ToolAccess> {
  return await queryOne<ToolAccess>(
    trx,
    `with counted as (
       update agents set tool_access_revision = tool_access_revision + 1
        where organization_id = :organizationId and slug = :agentSlug returning tool_access_revision as revision
     )
     insert into tool_access (organization_id, agent_slug, server_slug, access, tools, revision, updated_at)
     select :organizationId, :agentSlug, :serverSlug, :access, cast(:tools as text[]), revision, clock_timestamp() from counted
     on conflict (organization_id, agent_slug, server_slug) do update
        set access = excluded.access, tools = excluded.tools, revision = excluded.revision, updated_at = excluded.updated_at
     returning ${COLUMNS}`,
    { ...of, serverSlug, access, tools },
  );
}
