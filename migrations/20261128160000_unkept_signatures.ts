/** Tells a log that was changed from one whose signer cannot keep what it signs. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table audit_checkpoints_due add column not_kept boolean not null default false;
    comment on column audit_checkpoints_due.not_kept is
      'A refused chain may be whole: the sealer cannot keep what it signs. False: the chain does not extend what was signed last.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table audit_checkpoints_due drop column not_kept');
}
