/** Until when an instance has a credential that works, so that a list counts live instances by an index alone. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agent_instances add column live_until timestamptz(3);
    comment on column agent_instances.live_until is 'When the last of its credentials that is not revoked expires; null when there is none.';
    update agent_instances i set live_until = c.live_until
      from (select agent_instance_id, max(expires_at) as live_until from agent_credentials where revoked_at is null group by 1) c
     where c.agent_instance_id = i.id;
    create index agent_instances_live_idx on agent_instances (organization_id, agent_slug, status, live_until);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agent_instances drop column live_until');
}
