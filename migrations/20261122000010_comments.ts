/** The comments of tables in the terms that code and documentation use. */
import type { Knex } from 'knex';

interface Comment {
  readonly on: string;
  readonly before: string;
  readonly after: string;
}

const comments: readonly Comment[] = [
  {
    on: 'table added_reviewers',
    before: 'People a reviewer asked for his help with a request, beside those its path names.',
    after: 'People a reviewer added to a request, beside those its path names.',
  },
  {
    on: 'column approval_requests.wake_at',
    before:
      'When the backstop looks after the request if its workflow has not; null when nothing is left to do.',
    after:
      'When the reconciler steps the request if its workflow has not; null when nothing is left to do.',
  },
  {
    on: 'table claims',
    before:
      'Somebody said he looks after a request: advisory. ended_at null: live until expires_at, while the request is pending.',
    after:
      'A reviewer said that they look after a request: advisory. ended_at null: live until expires_at, while the request is pending.',
  },
  {
    on: 'table escalation_path_targets',
    before: 'Everybody a path revision names anywhere: who may decide what was routed to it.',
    after: 'All targets of a path revision: who may decide what was routed to it.',
  },
  {
    on: 'table invitations',
    before:
      "Somebody was asked to join, with what he will be allowed to do. Only the SHA-256 of the link's secret is kept.",
    after:
      "A person invited to join, with what they will be allowed to do. Only the SHA-256 of the link's secret is kept.",
  },
  {
    on: 'table notification_channels',
    before:
      'Where the messages of an organization go. Each has one of kind email from its birth. Deleted ones stay for what was sent by them.',
    after:
      'Where the messages of an organization go. Each organization has one of kind email from the start. Deleted ones stay for what was sent by them.',
  },
  {
    on: 'table notification_deliveries',
    before:
      'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over, and forgotten 30 days later, a dead one 90.',
    after:
      'The outbox: one row per notification and channel, and one per decided request and channel. next_attempt_at null: over, and purged 30 days later, a dead one 90.',
  },
  {
    on: 'column notification_deliveries.announces',
    before:
      'To no member but to the default channel of Slack, once for all who are told together; notification_id is of one of them.',
    after:
      'To no member but to the default channel of Slack, once for all who are notified together; notification_id is of one of them.',
  },
  {
    on: 'table notification_settings',
    before: 'By which channels a member wants to be told; without a row by all.',
    after: 'By which channels a member wants to be notified; without a row by all.',
  },
  {
    on: 'table notifications',
    before: 'Who is to be told about a request, once per level and run.',
    after: 'Who is notified about a request, once per level and run.',
  },
  {
    on: 'table recovery_codes',
    before: 'Single-use codes for whoever lost his authenticator app. Only their SHA-256 is kept.',
    after:
      'Single-use codes for people who lost their authenticator app. Only their SHA-256 is kept.',
  },
  {
    on: 'table sessions',
    before:
      'A sign-in of a member in a browser, forgotten 90 days after its end. Only the SHA-256 of the cookie secret is kept.',
    after:
      'A sign-in of a member in a browser, purged 90 days after its end. Only the SHA-256 of the cookie secret is kept.',
  },
  {
    on: 'table sign_in_attempts',
    before: 'How often somebody tried a password lately. key: SHA-256 of email and client address.',
    after: 'Recent attempts that are limited, such as passwords. key: SHA-256 of what is counted.',
  },
  {
    on: 'table slack_links',
    before:
      'Whose Slack user a member is, as he proved himself. direct_channel: his conversation with the bot, once opened.',
    after:
      'The Slack user of a member, linked by a code. direct_channel: their conversation with the bot, once opened.',
  },
  {
    on: 'table slack_messages',
    before:
      'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer. Forgotten after 100 days.',
    after:
      'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer. Purged after 100 days.',
  },
  {
    on: 'table totp_factors',
    before:
      'The authenticator app of a person. secret: AES-256-GCM under the secrets key secret_key_id; last_used_step: no code serves twice.',
    after:
      'The authenticator app of a person. secret: AES-256-GCM under the secrets key secret_key_id; last_used_step: no code works twice.',
  },
  {
    on: 'view held_policies',
    before:
      'The policies of each member: his own, and those of the live teams he is in, once however many sources say so.',
    after:
      'The policies of each member: their own, and those of their live teams, once for any number of sources.',
  },
];

async function write(db: Knex, which: 'before' | 'after'): Promise<void> {
  for (const comment of comments)
    await db.raw(`comment on ${comment.on} is '${comment[which].replaceAll("'", "''")}'`);
}

export async function up(db: Knex): Promise<void> {
  await write(db, 'after');
}

export async function down(db: Knex): Promise<void> {
  await write(db, 'before');
}
