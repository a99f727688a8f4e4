/** Personal steps: stored ones, and the next one where a message failed for good. */
import type { MemberChannelKind } from '../../domain/channels.ts';
import {
  secondsAfter,
  type PersonalStep,
  type PersonalSteps,
  type StepUrgency,
} from '../../domain/notifications/steps.ts';
import { formatDuration } from '../../domain/durations.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, queryRows, runPrepared } from '../../platform/rows.ts';

interface StepRow {
  membershipId: string;
  urgency: StepUrgency;
  channelKind: MemberChannelKind;
  afterSeconds: number;
}

export async function findPersonalSteps(db: Db, membershipId: string): Promise<PersonalSteps> {
  return (await findStepsOfMembers(db, [membershipId])).get(membershipId) ?? {};
}

/** By member. Members without steps are left out. */
export async function findStepsOfMembers(
  db: Db,
  membershipIds: readonly string[],
): Promise<ReadonlyMap<string, PersonalSteps>> {
  if (membershipIds.length === 0) return new Map();
  const rows = await queryRows<StepRow>(
    db,
    `select membership_id, urgency, channel_kind, after_seconds from notification_steps
      where membership_id = any(cast(:membershipIds as uuid[])) order by membership_id, urgency, position`,
    { membershipIds: [...membershipIds] },
  );
  const members = new Map<string, Partial<Record<StepUrgency, PersonalStep[]>>>();
  for (const { membershipId, urgency, channelKind: channel, afterSeconds } of rows) {
    const steps = members.get(membershipId) ?? {};
    const after = afterSeconds === 0 ? '0' : formatDuration(afterSeconds);
    (steps[urgency] ??= []).push({ channel, after });
    members.set(membershipId, steps);
  }
  return members;
}

/** Replaces the stored steps. Queued messages keep their time. */
export async function replacePersonalSteps(
  trx: Trx,
  membershipId: string,
  steps: PersonalSteps,
): Promise<void> {
  await trx('notification_steps').where({ membership_id: membershipId }).delete();
  const rows = Object.entries(steps).flatMap(([urgency, list]) =>
    (list ?? []).map(({ channel, after }, index) => ({
      ...{ membership_id: membershipId, urgency, position: index + 1, channel_kind: channel },
      after_seconds: secondsAfter(after),
    })),
  );
  if (rows.length > 0) await trx('notification_steps').insert(rows);
}

const ADVANCE: PreparedStatement = {
  name: 'advance-personal-steps',
  sql: `
    with failed as (
      select distinct d.notification_id from notification_deliveries d
       where d.id = any(cast(:deliveryIds as uuid[])) and d.step > 0 and d.next_attempt_at is null
    ),
    further as (
      select following.id
        from failed f
        cross join lateral (
          select d.id from notification_deliveries d
           where d.notification_id = f.notification_id and d.step > 0 and d.attempts = 0 and d.lease is null
             and d.next_attempt_at > clock_timestamp()
           order by d.step limit 1 for update skip locked) as following
    )
    update notification_deliveries d set next_attempt_at = clock_timestamp() from further where d.id = further.id`,
};

/** Where these messages failed for good, the next step of the person is due at once. After the failures are recorded. */
export async function advanceSteps(trx: Trx, deliveryIds: readonly string[]): Promise<void> {
  await runPrepared(trx, ADVANCE, { deliveryIds: [...deliveryIds] });
}
