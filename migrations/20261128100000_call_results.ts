/** The window in which an approved call may start, the key of a start, and what came of the call. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agents
      add column approval_window_seconds integer not null default 300
        constraint agents_approval_window_check check (approval_window_seconds between 60 and 86400);
    comment on column agents.approval_window_seconds is
      'How long an approved call may start after its decision. Each decision keeps the window of its instant.';

    -- Not valid: the columns of all rows are null, and a scan would hold up every call on a large table.
    alter table approval_requests
      add column start_key text,
      add column result_outcome text,
      add column result_detail text,
      add column result_arguments_digest text,
      add column result_at timestamptz(3),
      add constraint approval_requests_start_key_check check (start_key is null or started_at is not null) not valid,
      add constraint approval_requests_result_outcome_check
        check (result_outcome in ('succeeded', 'failed', 'not_run', 'refused_by_runtime', 'ran_differently')) not valid,
      add constraint approval_requests_result_digest_check check (result_arguments_digest ~ '^[0-9a-f]{64}$') not valid,
      add constraint approval_requests_result_check
        check ((result_outcome is null) = (result_at is null) and (result_at is null or started_at is not null)
               and (result_outcome is not null or (result_detail is null and result_arguments_digest is null))) not valid;
    comment on column approval_requests.start_key is
      'The Idempotency-Key of the start: the same key gets the same response again.';
    comment on column approval_requests.result_outcome is
      'What the instance that started the call reported afterwards, once.';
    create index approval_requests_unused_call_idx on approval_requests (call_digest, created_at)
      where state = 'approved' and started_at is null and call_digest is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table approval_requests
      drop column start_key, drop column result_outcome, drop column result_detail, drop column result_arguments_digest,
      drop column result_at;
    alter table agents drop column approval_window_seconds;
    drop index approval_requests_unused_call_idx;
  `);
}
