/** Reads of decisions. `engine/commit.ts` writes them. */
import type { TerminalState } from '../../domain/requests/approval-requests.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

interface KeyedDecision {
  readonly requestId: string;
  readonly status: TerminalState;
  readonly note: string | null;
  readonly channel: string;
}

/** The decision a person of this organization made with this idempotency key, on any request. */
export async function findDecisionByKey(
  db: Db,
  organizationId: string,
  key: string,
): Promise<KeyedDecision | undefined> {
  return await queryRow<KeyedDecision>(
    db,
    `select request_id, status, note, channel from decisions
      where organization_id = :organizationId and idempotency_key = :key and membership_id is not null`,
    { organizationId, key },
  );
}
