/** Presses of buttons in Slack, kept until their person was told the outcome. */
import { v7 } from 'uuid';
import type { SlackInteraction } from '../../../domain/notifications/slack/calls.ts';
import type { Db } from '../../../platform/postgres.ts';
import { queryRows } from '../../../platform/rows.ts';

export interface SlackPress {
  readonly id: string;
  readonly organizationId: string;
  /** The id of the notification channel. */
  readonly channelId: string;
  readonly interaction: SlackInteraction;
  readonly receivedAt: Date;
  /** Including this one. */
  readonly attempts: number;
}

export interface NewSlackPress {
  readonly channelId: string;
  /** Identifies the press: a repetition of it is not recorded again. */
  readonly pressKey: Buffer;
  readonly interaction: SlackInteraction;
}

/** Due at once. Also purges some old ones. Takes no lock of a request. */
export async function insertSlackPress(
  db: Db,
  { channelId, pressKey, interaction }: NewSlackPress,
): Promise<void> {
  const { action, slackUserId, isForeign, requestId, membershipId, note, triggerId, responseUrl } =
    interaction;
  await queryRows<unknown>(
    db,
    `with purged as (
       delete from slack_presses where id in (
         select id from slack_presses where received_at < statement_timestamp() - interval '1 day'
          order by received_at limit 10 for update skip locked)
     )
     insert into slack_presses
            (id, channel_id, press_key, slack_user_id, is_foreign, request_id, membership_id, action, note, trigger_id, response_url,
             received_at, due_at)
     select :id, :channelId, :pressKey, :slackUserId, :isForeign, :requestId, :membershipId, :action, :note, :triggerId, :responseUrl,
            now, now
       from clock_timestamp() as now
     on conflict (channel_id, press_key) do nothing`,
    {
      id: v7(),
      channelId,
      pressKey,
      slackUserId,
      isForeign,
      requestId,
      membershipId: membershipId ?? null,
      action,
      note: note ?? null,
      triggerId,
      responseUrl,
    },
  );
}

/** Longer than an attempt can take. */
const LEASE_S = 60;

interface PressRow
  extends
    Omit<SlackPress, 'interaction'>,
    Pick<
      SlackInteraction,
      'slackUserId' | 'isForeign' | 'requestId' | 'action' | 'triggerId' | 'responseUrl'
    > {
  readonly membershipId: string | null;
  readonly note: string | null;
}

/** Leaves them to this process for a minute. */
export async function leaseDueSlackPresses(db: Db, limit: number): Promise<SlackPress[]> {
  const rows = await queryRows<PressRow>(
    db,
    `update slack_presses p set due_at = clock_timestamp() + :lease * interval '1 second', attempts = p.attempts + 1
       from slack_connections s
      where s.channel_id = p.channel_id and p.id in (
        select id from slack_presses where due_at <= clock_timestamp()
         order by due_at limit :limit for update skip locked)
     returning p.id, s.organization_id, p.channel_id, p.slack_user_id, p.is_foreign, p.request_id, p.membership_id, p.action, p.note,
               p.trigger_id, p.response_url, p.received_at, p.attempts`,
    { lease: LEASE_S, limit },
  );
  return rows.map(({ id, organizationId, channelId, receivedAt, attempts, ...rest }) => ({
    id,
    organizationId,
    channelId,
    receivedAt,
    attempts,
    interaction: interactionOf(rest),
  }));
}

function interactionOf({
  note,
  membershipId,
  ...rest
}: Omit<
  PressRow,
  'id' | 'organizationId' | 'channelId' | 'receivedAt' | 'attempts'
>): SlackInteraction {
  return {
    ...rest,
    ...(note !== null && { note }),
    ...(membershipId !== null && { membershipId }),
  };
}

export async function endSlackPress(db: Db, id: string): Promise<void> {
  await db('slack_presses').where({ id }).update({ due_at: null });
}

export async function retrySlackPress(db: Db, id: string, afterMs: number): Promise<void> {
  await db('slack_presses')
    .where({ id })
    .update({ due_at: db.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [afterMs]) });
}
