/** The queue starts from the paths a reviewer is on, so that rows of other people's paths are not read. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index approval_requests_escalation_path_revision_id_idx;
    create index approval_requests_path_idx on approval_requests (escalation_path_revision_id, created_at desc, id desc)
      where escalation_path_revision_id is not null;
    create index approval_requests_path_pending_idx on approval_requests (escalation_path_revision_id, created_at desc, id desc)
      where state = 'pending' and escalation_path_revision_id is not null;
    create index approval_requests_unrouted_idx on approval_requests (organization_id, created_at desc, id desc)
      where routed_at is not null and escalation_path_revision_id is null;
    create index approval_requests_unrouted_pending_idx on approval_requests (organization_id, created_at desc, id desc)
      where state = 'pending' and routed_at is not null and escalation_path_revision_id is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index approval_requests_path_idx, approval_requests_path_pending_idx,
      approval_requests_unrouted_idx, approval_requests_unrouted_pending_idx;
    create index approval_requests_escalation_path_revision_id_idx on approval_requests (escalation_path_revision_id)
      where escalation_path_revision_id is not null;
  `);
}
