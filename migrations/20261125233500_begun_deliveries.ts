/** Deliveries are recorded when they begin, so that an interrupted one leaves a trace. */
import type { Knex } from 'knex';

const COMMENT =
  'Each attempt to post to an endpoint, and what came of it. Purged after 30 days. delivery_id: the same for all attempts.';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table webhook_deliveries
      alter column duration_ms drop not null,
      drop constraint webhook_deliveries_result_check,
      add constraint webhook_deliveries_result_check
        check (num_nonnulls(outcome, error_code) = case when duration_ms is null then 0 else 1 end);
    comment on table webhook_deliveries is '${COMMENT} Without a duration, it runs or was interrupted.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from webhook_deliveries where duration_ms is null;
    alter table webhook_deliveries
      drop constraint webhook_deliveries_result_check,
      add constraint webhook_deliveries_result_check check (num_nonnulls(outcome, error_code) = 1),
      alter column duration_ms set not null;
    comment on table webhook_deliveries is '${COMMENT}';
  `);
}
