/** Tokens that the judges of an organization take in a day, counted before each call. */
import type { Db } from '../../platform/postgres.ts';
import { queryRow, queryRows } from '../../platform/rows.ts';

export interface Reservation {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly tokens: number;
}

/**
 * Takes the tokens from today's budget. Undefined when they do not fit, whatever other processes
 * reserve at the same time.
 */
export async function reserveTokens(
  db: Db,
  organizationId: string,
  { tokens, dailyTokens }: { readonly tokens: number; readonly dailyTokens: number },
): Promise<Reservation | undefined> {
  const row = await queryRow<{ day: string }>(
    db,
    `insert into judge_budgets as b (organization_id, day, tokens)
     select :organizationId, (clock_timestamp() at time zone 'utc')::date, :tokens
      where cast(:tokens as bigint) <= cast(:dailyTokens as bigint)
     on conflict on constraint judge_budgets_pkey do update set tokens = b.tokens + excluded.tokens
       where b.tokens + excluded.tokens <= :dailyTokens
     returning cast(day as text) as day`,
    { organizationId, tokens, dailyTokens },
  );
  return row && { day: row.day, tokens };
}

/** Replaces a reservation with what the call really took, in the budget of the day it was made. */
export async function settleTokens(
  db: Db,
  organizationId: string,
  { day, tokens, taken }: Reservation & { readonly taken: number },
): Promise<void> {
  await queryRows(
    db,
    `update judge_budgets set tokens = tokens - :tokens + :taken
      where organization_id = :organizationId and day = cast(:day as date)`,
    { organizationId, day, tokens, taken },
  );
}

/** Purges some budgets of over 30 days ago. Returns their number. */
export async function deleteOldJudgeBudgets(db: Db, limit: number): Promise<number> {
  const rows = await queryRows<unknown>(
    db,
    `with old as (
       select organization_id, day from judge_budgets where day < (statement_timestamp() at time zone 'utc')::date - 30
        order by day limit :limit for update skip locked
     )
     delete from judge_budgets b using old where b.organization_id = old.organization_id and b.day = old.day returning 1`,
    { limit },
  );
  return rows.length;
}
