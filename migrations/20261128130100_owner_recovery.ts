/** Links that `recover-owner` makes also remove the second factor of their person. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table password_resets add column removes_second_factor boolean not null default false;
    comment on column password_resets.removes_second_factor is
      'The link was made on the machine of the service for an owner who lost their second factor.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table password_resets drop column removes_second_factor');
}
