/** What an organization decides for itself, and its end. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table organizations
      add column revision integer not null default 1,
      add column claim_timeout_seconds integer not null default 900
        constraint organizations_claim_timeout_check check (claim_timeout_seconds between 60 and 86400),
      add column max_api_key_lifetime_seconds integer
        constraint organizations_max_api_key_lifetime_check check (max_api_key_lifetime_seconds between 3600 and 315360000),
      add column require_mfa boolean not null default false,
      add column reauthentication_window_seconds integer not null default 900
        constraint organizations_reauthentication_window_check check (reauthentication_window_seconds between 60 and 86400),
      add column deleted_at timestamptz(3);
    alter table organizations drop constraint organizations_slug_key;
    create unique index organizations_slug_key on organizations (slug) where deleted_at is null;
    comment on table organizations is
      'A tenant. Every other row belongs to one. revision counts its changes; with deleted_at everything that opens it has ended.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    update organizations set slug = slug || '-' || cast(id as text) where deleted_at is not null;
    drop index organizations_slug_key;
    alter table organizations add constraint organizations_slug_key unique (slug);
    alter table organizations
      drop column revision, drop column claim_timeout_seconds, drop column max_api_key_lifetime_seconds,
      drop column require_mfa, drop column reauthentication_window_seconds, drop column deleted_at;
    comment on table organizations is 'A tenant. Every other row belongs to one.';
  `);
}
