/** An agent's share of the pending cap, and deliveries that outlive a request the cap refused. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table organizations
      add column agent_pending_percent integer not null default 25
        constraint organizations_agent_pending_percent_check check (agent_pending_percent between 1 and 100);
    comment on column organizations.agent_pending_percent is
      'How much of the cap on pending requests one agent may take, at least one request.';
    alter table webhook_deliveries
      drop constraint webhook_deliveries_request_id_fkey,
      add constraint webhook_deliveries_request_id_fkey
        foreign key (request_id) references approval_requests (id) on delete set null;
    comment on column webhook_deliveries.request_id is
      'Null for tests and previews, and after the pending cap refused the request.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    comment on column webhook_deliveries.request_id is null;
    alter table webhook_deliveries
      drop constraint webhook_deliveries_request_id_fkey,
      add constraint webhook_deliveries_request_id_fkey foreign key (request_id) references approval_requests (id);
    alter table organizations drop column agent_pending_percent;
  `);
}
