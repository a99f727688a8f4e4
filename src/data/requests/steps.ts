/**
 * What the walk of a request has done so far: the levels it reached and the members it notified.
 */
import type { RecordedStep } from '../../domain/escalation/routing-view.ts';
import type { Db } from '../../platform/postgres.ts';

interface StepRow {
  node_id: string;
  run: number;
  kind: RecordedStep['kind'];
  at: Date;
  escalate_at: Date | null;
}

/**
 * The levels a request reached, unordered, since several can share an instant. A request without a
 * path reaches none.
 */
export async function findSteps(db: Db, requestId: string): Promise<RecordedStep[]> {
  const rows = (await db('escalation_steps')
    .where({ request_id: requestId })
    .whereNotNull('node_id')
    .whereNull('team_id')
    .select('node_id', 'run', 'kind', 'at', 'escalate_at')) as StepRow[];
  return rows.map(({ node_id: nodeId, run, kind, at, escalate_at: escalateAt }) =>
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
  const { rows } = await db.raw<{ rows: Notified[] }>(
    `select n.step_key as "stepKey", n.membership_id as "membershipId", u.display_name as "displayName", n.created_at as "notifiedAt"
       from notifications n
       join memberships m on m.id = n.membership_id
       join users u on u.id = m.user_id
      where n.request_id = :requestId
      order by m.created_at, m.id`,
    { requestId },
  );
  return rows;
}

/** Names of the people and teams in a path revision, by their ids, whatever their status. */
export async function findTargetNames(
  db: Db,
  pathRevisionId: string,
): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { id: string; name: string }[] }>(
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
