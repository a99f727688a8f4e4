/** What the walk of a request has done so far. */
import type { RecordedStep } from '../../domain/escalation/routing-view.ts';
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

interface StepRow {
  nodeId: string;
  run: number;
  kind: RecordedStep['kind'];
  at: Date;
  escalateAt: Date | null;
}

/**
 * The levels a request reached, unordered, since several can share an instant. A request without a
 * path reaches none.
 */
export async function findSteps(db: Db, requestId: string): Promise<RecordedStep[]> {
  const rows = await queryRows<StepRow>(
    db,
    `select node_id, run, kind, at, escalate_at from escalation_steps
      where request_id = :requestId and node_id is not null and team_id is null`,
    { requestId },
  );
  return rows.map(({ nodeId, run, kind, at, escalateAt }) =>
    kind === 'skipped'
      ? { kind, nodeId, run, at }
      : { kind, nodeId, run, at, ...(escalateAt && { escalateAt }) },
  );
}
