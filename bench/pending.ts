/** Fills the table with requests that wait for people, as copies of one such request. */
import type pg from 'pg';
import { ask, type Parties } from './frame/service.ts';

export async function fillWithPending(
  db: pg.Client,
  parties: Parties,
  count: number,
): Promise<void> {
  const { id } = await ask(parties.adapter, 'slow');
  await db.query(
    `insert into approval_requests (
       id, organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id, tool, server,
       arguments, timeout, idempotency_key, organization_pipeline_revision_id, agent_pipeline_revision_id, state,
       created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope)
     select gen_random_uuid(), organization_id, agent_slug, agent_name, agent_instance_id, agent_instance_name, agent_credential_id,
            tool, server, arguments, timeout, 'copy-' || gen_random_uuid(), organization_pipeline_revision_id,
            agent_pipeline_revision_id, state, created_at, deadline_at, updated_at, last_at, routed_at, route_source, route_scope
       from approval_requests, generate_series(1, $2::int) as n where id = $1`,
    [id, count],
  );
  await db.query('analyze approval_requests');
}
