/** More than a password: second factors, resets, identities of an identity provider, and where a session comes from. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table sessions add column client_address text, add column user_agent text,
      add constraint sessions_method_check check (method in ('local_password', 'local_password_totp', 'sso'));
    create index sessions_expires_at_idx on sessions (expires_at);
    comment on table sessions is
      'A sign-in of a member in a browser, forgotten 90 days after its end. Only the SHA-256 of the cookie secret is kept.';

    create table totp_factors (
      user_id uuid constraint totp_factors_pkey primary key constraint totp_factors_user_id_fkey references users,
      secret bytea not null,
      secret_key_id text not null,
      last_used_step bigint,
      created_at timestamptz(3) not null,
      confirmed_at timestamptz(3)
    );
    comment on table totp_factors is
      'The authenticator app of a person. secret: AES-256-GCM under the secrets key secret_key_id; last_used_step: no code serves twice.';

    create table recovery_codes (
      user_id uuid not null constraint recovery_codes_user_id_fkey references users,
      code_hash bytea not null,
      used_at timestamptz(3),
      constraint recovery_codes_pkey primary key (user_id, code_hash)
    );
    comment on table recovery_codes is 'Single-use codes for whoever lost his authenticator app. Only their SHA-256 is kept.';

    create table mfa_challenges (
      id uuid primary key,
      membership_id uuid not null constraint mfa_challenges_membership_id_fkey references memberships,
      token_hash bytea not null,
      password_digest bytea not null,
      wrong_codes integer not null default 0,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3)
    );
    create index mfa_challenges_membership_id_idx on mfa_challenges (membership_id);
    create index mfa_challenges_expires_at_idx on mfa_challenges (expires_at);
    comment on table mfa_challenges is
      'A sign-in whose password was right and whose second factor is awaited. password_digest: SHA-256 of the hash of that password; another password ends it.';

    create table password_resets (
      id uuid primary key,
      user_id uuid not null constraint password_resets_user_id_fkey references users,
      token_hash bytea not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3)
    );
    create index password_resets_user_id_idx on password_resets (user_id);
    create index password_resets_expires_at_idx on password_resets (expires_at);
    comment on table password_resets is 'Links sent to people who forgot their password. Only the SHA-256 of the secret is kept.';

    create table user_identities (
      issuer text not null,
      subject text not null,
      user_id uuid not null constraint user_identities_user_id_fkey references users,
      created_at timestamptz(3) not null,
      constraint user_identities_pkey primary key (issuer, subject)
    );
    create index user_identities_user_id_idx on user_identities (user_id);
    comment on table user_identities is 'Who a person is to an OpenID provider.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table user_identities, password_resets, mfa_challenges, recovery_codes, totp_factors;
    drop index sessions_expires_at_idx;
    alter table sessions drop constraint sessions_method_check, drop column client_address, drop column user_agent;
    comment on table sessions is 'A sign-in of a member in a browser. Only the SHA-256 of the cookie secret is kept.';
  `);
}
