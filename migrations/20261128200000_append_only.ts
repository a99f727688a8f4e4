/** Nothing makes an exception for the demo agent any more: what is append-only is never changed or deleted. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end $$;
    comment on column agents.demo is 'The service made it to show how a request is decided. No figure and no limit counts it.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function refuse_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and tg_table_name = 'decisions' then
        perform from approval_requests r join agents a on a.organization_id = r.organization_id and a.slug = r.agent_slug
          where r.id = old.request_id and a.demo;
        if found then return old; end if;
      elsif tg_op = 'DELETE' and tg_table_name = 'request_approval_pipeline_revisions' then
        perform from request_approval_pipelines p
          join agents a on a.organization_id = p.organization_id and p.document_key = 'agent:' || a.slug
          where p.id = old.request_approval_pipeline_id and a.demo;
        if found then return old; end if;
      end if;
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end $$;
    comment on column agents.demo is 'The service made it to show how a request is decided. It can be removed with all its traces.';
  `);
}
