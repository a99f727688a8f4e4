/** Emails to people about their own accounts, kept until they are sent. */
import { v7 } from 'uuid';
import type { Db, Trx } from '../../platform/postgres.ts';
import { type PreparedStatement, runPrepared } from '../../platform/rows.ts';

export interface AccountMailToSend {
  readonly id: string;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
  /** No attempt follows. */
  readonly isLast: boolean;
}

/** Longer than one attempt can take. */
const LEASE = `interval '1 minute'`;

/** Keeps the email. The caller makes the first attempt, after its commit. */
export async function insertAccountMail(
  trx: Trx,
  mail: Pick<AccountMailToSend, 'address' | 'subject' | 'body'>,
): Promise<AccountMailToSend> {
  const kept = { id: v7(), ...mail };
  await trx.raw(
    `insert into account_mails (id, address, subject, body, next_attempt_at, created_at)
     select :id, :address, :subject, :body, now + ${LEASE}, now from clock_timestamp() as now`,
    kept,
  );
  return { ...kept, isLast: false };
}

const LEASE_DUE: PreparedStatement = {
  name: 'lease-account-mails',
  sql: `
    with due as materialized (
      select id from account_mails where next_attempt_at <= statement_timestamp()
       order by next_attempt_at limit :limit for update skip locked
    )
    update account_mails m
       set attempts = attempts + 1, next_attempt_at = clock_timestamp() + least(power(2, least(attempts, 6)), 60) * ${LEASE}
      from due where m.id = due.id
    returning m.id, m.address, m.subject, m.body, m.created_at < clock_timestamp() - interval '3 days' as is_last`,
};

/** Some due emails. The pause before the next attempt doubles from a minute to an hour. */
export async function leaseAccountMails(db: Db, limit: number): Promise<AccountMailToSend[]> {
  return await runPrepared<AccountMailToSend>(db, LEASE_DUE, { limit });
}

/** Purges some that were due three days ago: no process sends email any more. Returns their number. */
export async function deleteForgottenAccountMails(db: Db, limit: number): Promise<number> {
  return await db('account_mails')
    .whereRaw(
      `id in (select id from account_mails where next_attempt_at < statement_timestamp() - interval '3 days'
               order by next_attempt_at limit :limit for update skip locked)`,
      { limit },
    )
    .delete();
}

export async function deleteAccountMail(db: Db, id: string): Promise<void> {
  await db('account_mails').where({ id }).delete();
}
