/** Blocks that ask a language model: what they took, the budget of each day, and what was said. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table pipeline_block_results add column cost json;
    comment on column pipeline_block_results.cost is 'Of the attempt that gave the result: {input_tokens, output_tokens, amount, currency}.';

    create table judge_budgets (
      organization_id uuid not null constraint judge_budgets_organization_id_fkey references organizations,
      day date not null,
      tokens bigint not null constraint judge_budgets_tokens_check check (tokens >= 0),
      constraint judge_budgets_pkey primary key (organization_id, day)
    );
    create index judge_budgets_day_idx on judge_budgets (day);
    comment on table judge_budgets is
      'Tokens that the judges of an organization took on a day in UTC, with those reserved for calls under way. What a killed process had reserved stays taken, because the provider may charge it. Purged after 30 days.';

    create table request_assessments (
      id uuid primary key,
      request_id uuid not null
        constraint request_assessments_request_id_fkey references approval_requests on delete cascade,
      scope text not null constraint request_assessments_scope_check check (scope in ('organization', 'agent')),
      block_id text not null,
      model text not null,
      outcome text constraint request_assessments_outcome_check check (outcome in ('approve', 'deny', 'human', 'next')),
      confidence json,
      reason text,
      error_code text,
      input text not null,
      output text not null,
      cost json,
      created_at timestamptz(3) not null,
      constraint request_assessments_result_check check (num_nonnulls(outcome, error_code) = 1)
    );
    create index request_assessments_request_id_idx on request_assessments (request_id, created_at, id);
    create index request_assessments_created_at_idx on request_assessments (created_at);
    comment on table request_assessments is
      'What language models read and answered about a request. Purged after 30 days. confidence: exact, as the model wrote it.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table request_assessments, judge_budgets;
    alter table pipeline_block_results drop column cost;
  `);
}
