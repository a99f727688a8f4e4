/** What of one organization waits for the service, for its operators. */
import type { Db } from '../../platform/postgres.ts';
import { queryOne } from '../../platform/rows.ts';

export interface WaitingWork {
  readonly now: Date;
  /** Levels that are due and that no one has taken, without those that a claim holds up. */
  readonly lateLevels: number;
  readonly lateSince: Date | null;
  /** Open requests of which the workflow has not responded since the reconciler had to look. */
  readonly silentWorkflows: number;
  readonly silentSince: Date | null;
  /** Messages that are due. */
  readonly dueMessages: number;
  readonly dueSince: Date | null;
  /** Messages that were given up, and are not purged yet. */
  readonly deadMessages: number;
  readonly postgres: string;
  readonly lastMigration: string | null;
}

/** One statement. Each count reads an index and stops at `most`. */
export async function readWaitingWork(
  db: Db,
  organizationId: string,
  most: number,
): Promise<WaitingWork> {
  return await queryOne<WaitingWork>(
    db,
    `with open as materialized (
       select id, state, next_at, wake_at, wake_attempts from approval_requests
        where organization_id = :organizationId and state in ('evaluating', 'pending')
     ), late as (
       select o.next_at from open o
        where o.state = 'pending' and o.next_at < clock_timestamp() - interval '2 seconds'
          and not exists (select from claims c
                           where c.request_id = o.id and c.ended_at is null and c.expires_at > clock_timestamp())
        limit :most
     ), silent as (
       select wake_at from open
        where wake_attempts > 0 or wake_at < clock_timestamp() - interval '5 seconds' limit :most
     ), due as (
       select d.next_attempt_at
         from notification_channels c
         cross join lateral (
           select next_attempt_at from notification_deliveries
            where channel_id = c.id and next_attempt_at <= clock_timestamp()
            order by next_attempt_at limit :most
         ) d
        where c.organization_id = :organizationId
        order by d.next_attempt_at limit :most
     ), dead as (
       select 1 from notification_deliveries
        where organization_id = :organizationId and dead_at is not null limit :most
     )
     select clock_timestamp() as now,
            (select count(*) from late) as late_levels, (select min(next_at) from late) as late_since,
            (select count(*) from silent) as silent_workflows, (select min(wake_at) from silent) as silent_since,
            (select count(*) from due) as due_messages, (select min(next_attempt_at) from due) as due_since,
            (select count(*) from dead) as dead_messages,
            current_setting('server_version') as postgres,
            (select name from knex_migrations order by id desc limit 1) as last_migration`,
    { organizationId, most },
  );
}
