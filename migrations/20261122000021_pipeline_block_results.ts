/** What came of the blocks of rules that ask other systems. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table pipeline_block_results (
      request_id uuid not null
        constraint pipeline_block_results_request_id_fkey references approval_requests on delete cascade,
      scope text not null constraint pipeline_block_results_scope_check check (scope in ('organization', 'agent')),
      block_id text not null,
      place integer not null,
      content_hash text not null,
      delivery_id uuid not null,
      attempts integer not null,
      leased_until timestamptz(3),
      asked_at timestamptz(3) not null,
      answered_at timestamptz(3),
      outcome text constraint pipeline_block_results_outcome_check check (outcome in ('approve', 'deny', 'human', 'next')),
      reason text,
      metadata json,
      escalation_path text,
      error_code text,
      constraint pipeline_block_results_pkey primary key (request_id, scope, block_id),
      constraint pipeline_block_results_result_check
        check (num_nonnulls(outcome, error_code) = case when answered_at is null then 0 else 1 end)
    );
    comment on table pipeline_block_results is
      'A block that asked another system about a request: how often, and its one result. place: in the order of asking.';
    comment on column pipeline_block_results.leased_until is
      'The attempt under way belongs to its process until then. Null between attempts and after the result.';
    alter table approval_requests add column previous_metadata json;
    comment on column approval_requests.previous_metadata is
      'What blocks that asked other systems returned: {organization, agent}, each by block id. Exact JSON text.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table approval_requests drop column previous_metadata;
    drop table pipeline_block_results;
  `);
}
