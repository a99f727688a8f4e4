/** Which names of arguments an organization takes for those of secrets. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table organizations
      add column hides_secret_names boolean not null default true,
      add column hidden_names text[] not null default '{}'
        constraint organizations_hidden_names_check check (cardinality(hidden_names) <= 100);
    comment on column organizations.hidden_names is
      'Names of arguments whose values people see only when they ask. hides_secret_names: those that usually name secrets, too.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'alter table organizations drop column hides_secret_names, drop column hidden_names',
  );
}
