/**
 * What the walk of a request has done so far: the levels it reached and the members it notified.
 */
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

/** A member who was notified about a request. */
export interface Notified {
  readonly stepKey: string;
  readonly membershipId: string;
  readonly displayName: string;
  readonly notifiedAt: Date;
}

/** All members notified about a request, in any step, longest membership first. */
export async function findNotified(db: Db, requestId: string): Promise<Notified[]> {
  return await queryRows<Notified>(
    db,
    `select n.step_key, n.membership_id, u.display_name, n.created_at as notified_at
       from notifications n
       join memberships m on m.id = n.membership_id
       join users u on u.id = m.user_id
      where n.request_id = :requestId
      order by m.created_at, m.id`,
    { requestId },
  );
}

/** Names of the people and teams in a path revision, by their ids, whatever their status. */
export async function findTargetNames(
  db: Db,
  pathRevisionId: string,
): Promise<Map<string, string>> {
  const rows = await queryRows<{ id: string; name: string }>(
    db,
    `select coalesce(m.id, g.id) as id, coalesce(u.display_name, g.name) as name
       from escalation_path_targets t
       left join memberships m on m.id = t.membership_id
       left join users u on u.id = m.user_id
       left join teams g on g.id = t.team_id
      where t.escalation_path_revision_id = :pathRevisionId and t.target_type <> 'broadcast'`,
    { pathRevisionId },
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
