/** Emails to people about their own accounts, until they are sent. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table account_mails (
      id uuid constraint account_mails_pkey primary key,
      address text not null,
      subject text not null,
      body text not null,
      attempts integer not null default 1,
      next_attempt_at timestamptz(3) not null,
      created_at timestamptz(3) not null
    );
    create index account_mails_next_attempt_at_idx on account_mails (next_attempt_at);
    comment on table account_mails is 'Emails to people about their own accounts. A row is deleted once its email is sent, and three days later if the mail server takes none.';
    comment on column account_mails.attempts is 'The process that writes the row makes the first attempt, after its commit.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table account_mails');
}
