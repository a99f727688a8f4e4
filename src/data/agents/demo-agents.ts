/** The demo agent of an organization: the only agent that can be removed. */
import type { Db, Trx } from '../../platform/postgres.ts';
import { queryOne, queryRow, queryRows } from '../../platform/rows.ts';
import { nameKey } from '../names.ts';
import { wasRemoved } from './agents.ts';

export async function findDemoSlug(db: Db, organizationId: string): Promise<string | undefined> {
  const row = await queryRow<{ slug: string }>(
    db,
    'select slug from agents where organization_id = :organizationId and demo',
    { organizationId },
  );
  return row?.slug;
}

const numbered = (text: string, separator: string) =>
  `'${text}' || case when n > 1 then '${separator}' || n else '' end`;
const SLUG = numbered('demo-agent', '-');
const NAME = numbered('Demo agent', ' ');

/** The first slug that no agent ever had, and the first name that is free. Call it with access locked. */
export async function findFreeDemoName(
  trx: Trx,
  organizationId: string,
): Promise<{ readonly slug: string; readonly name: string }> {
  return await queryOne(
    trx,
    `with recursive slugs (n) as (
       select 1
       union all
       select n + 1 from slugs
        where exists (select from agents a where a.organization_id = :organizationId and a.slug = ${SLUG}) or ${wasRemoved(SLUG)}
     ), names (n) as (
       select 1
       union all
       select n + 1 from names
        where exists (select from agents a
                       where a.organization_id = :organizationId and a.status <> 'archived' and ${nameKey('a.name')} = ${nameKey(NAME)})
     )
     select (select ${SLUG} from slugs order by n desc limit 1) as slug,
            (select ${NAME} from names order by n desc limit 1) as name`,
    { organizationId },
  );
}

/** The first instance of the demo agent that may call. */
export async function findDemoInstanceId(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<string | undefined> {
  const row = await queryRow<{ id: string }>(
    trx,
    `select id from agent_instances
      where organization_id = :organizationId and agent_slug = :slug and status = 'active' and deleted_at is null
      order by created_at, id limit 1`,
    { organizationId, slug },
  );
  return row?.id;
}

/** Credentials of an instance that are not revoked. */
export async function listUnrevoked(trx: Trx, instanceId: string): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(
    trx,
    'select id from agent_credentials where agent_instance_id = :instanceId and revoked_at is null order by id',
    { instanceId },
  );
  return rows.map(({ id }) => id);
}

const REQUESTS = `select id from approval_requests where organization_id = :organizationId and agent_slug = :slug`;
const OF_REQUESTS = `request_id in (${REQUESTS})`;
const INSTANCES = `select id from agent_instances where organization_id = :organizationId and agent_slug = :slug`;
const OF_INSTANCES = `agent_instance_id in (${INSTANCES})`;
const OF_AGENT = 'organization_id = :organizationId and agent_slug = :slug';
const PIPELINE = `select id from request_approval_pipelines
  where organization_id = :organizationId and document_key = 'agent:' || :slug`;
const REVISIONS = `select id from request_approval_pipeline_revisions where request_approval_pipeline_id in (${PIPELINE})`;

/**
 * In this order. Who sends a message locks its delivery, and then refers to its request. So deliveries go first, and again
 * once the requests are locked. Counts are added under the lock of their mark.
 */
const REMOVALS = [
  'select 1 from request_count_mark for key share',
  'select 1 from agents where organization_id = :organizationId and slug = :slug for update',
  // Messages about other requests, which wait for the digest of one of these, are sent by themselves.
  `update notification_deliveries d
      set dropped_at = null, dropped_reason = null, digest_id = null, attempts = 0, next_attempt_at = clock_timestamp()
     from notification_deliveries g
    where g.id = d.digest_id and g.${OF_REQUESTS} and g.next_attempt_at is not null
      and d.dropped_reason = 'in_digest' and d.request_id not in (${REQUESTS})`,
  `delete from notification_deliveries where ${OF_REQUESTS}`,
  `${REQUESTS} order by id for update`,
  ...[
    ...['notification_deliveries', 'receiver_events', 'slack_messages', 'slack_presses'],
    ...['webhook_deliveries', 'notifications', 'escalation_steps', 'added_reviewers', 'claims'],
    'decisions',
  ].map((table) => `delete from ${table} where ${OF_REQUESTS}`),
  `delete from approval_requests where ${OF_AGENT}`,
  `${INSTANCES} order by id for update`,
  `delete from instance_operations
    where agent_provisioner_id in (select id from agent_provisioners where ${OF_AGENT})`,
  ...[
    ...['agent_enrollments', 'receivers', 'tool_catalog_contexts', 'agent_instance_request_days'],
    'agent_credentials',
  ].map((table) => `delete from ${table} where ${OF_INSTANCES}`),
  ...['agent_instances', 'agent_provisioners', 'agent_request_days', 'tool_access'].map(
    (table) => `delete from ${table} where ${OF_AGENT}`,
  ),
  `update request_approval_pipelines set active_revision = null, archived_revision = null where id in (${PIPELINE})`,
  ...['request_approval_pipeline_endpoints', 'request_approval_pipeline_paths'].map(
    (table) => `delete from ${table} where request_approval_pipeline_revision_id in (${REVISIONS})`,
  ),
  `delete from request_approval_pipeline_revisions where request_approval_pipeline_id in (${PIPELINE})`,
  `delete from request_approval_pipelines where id in (${PIPELINE})`,
  'delete from agents where organization_id = :organizationId and slug = :slug',
] as const;

/**
 * Removes an archived demo agent with everything that is stored about it, but its audit events and grants for it. Call it with access
 * locked, so that no request is created or changed meanwhile. The database refuses it for other agents.
 */
export async function removeDemoAgentRows(
  trx: Trx,
  organizationId: string,
  slug: string,
): Promise<void> {
  for (const statement of REMOVALS) await trx.raw(statement, { organizationId, slug });
}
