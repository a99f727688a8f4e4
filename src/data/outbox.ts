/** SQL that outboxes share: which of their queues have something to send. */

export interface OutboxTable {
  readonly table: string;
  /** The column that names the queue of a row. An index on it and `next_attempt_at` has the rows that wait. */
  readonly queue: string;
}

/**
 * `waiting (queue, since)`: each queue that has messages, and when its first one is due. Reads one row of each. Follows
 * `with`.
 */
export const waitingQueues = ({ table, queue }: OutboxTable): string => `
    recursive waiting (queue, since) as (
      (select d.${queue}, d.next_attempt_at from ${table} d
        where d.next_attempt_at is not null order by d.${queue}, d.next_attempt_at limit 1)
      union all
      select further.queue, further.next_attempt_at from waiting w cross join lateral (
        select d.${queue} as queue, d.next_attempt_at from ${table} d
         where d.next_attempt_at is not null and d.${queue} > w.queue order by d.${queue}, d.next_attempt_at limit 1
      ) as further
    )`;
