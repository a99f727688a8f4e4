/**
 * Which transaction last changed a request. A snapshot of the database tells exactly which of these
 * it has seen, however long a transaction took to commit, so a reader of changes misses none.
 */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table approval_requests add column changed_in xid8 not null default pg_current_xact_id();
    comment on column approval_requests.changed_in is 'The transaction of the last change that a queue shows. Set with updated_at, also when that keeps its value.';
    create function mark_request_changed() returns trigger language plpgsql as $$
    begin
      new.changed_in = pg_current_xact_id();
      return new;
    end $$;
    create trigger approval_requests_changed before update of updated_at on approval_requests
      for each row execute function mark_request_changed();
    create index approval_requests_changed_idx on approval_requests (organization_id, changed_in)
      where routed_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger approval_requests_changed on approval_requests;
    drop function mark_request_changed();
    alter table approval_requests drop column changed_in;
  `);
}
