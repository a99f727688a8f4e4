/** How people sign in, and the programs they let in. */
export const signIn = `
create table sessions (
  id uuid primary key,
  organization_id uuid not null constraint sessions_organization_id_fkey references organizations,
  membership_id uuid not null constraint sessions_membership_id_fkey references memberships,
  token_hash bytea not null,
  method text not null constraint sessions_method_check check (method in ('local_password', 'local_password_totp', 'sso')),
  assurance text not null constraint sessions_assurance_check check (assurance in ('single_factor', 'strong')),
  authenticated_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  client_address text,
  user_agent text
);
comment on table sessions is
  'A sign-in of a member in a browser, purged 90 days after its end. Only the SHA-256 of the cookie secret is kept.';
create index sessions_expires_at_idx on sessions (expires_at);
create index sessions_membership_id_idx on sessions (membership_id);
create index sessions_organization_id_idx on sessions (organization_id);

create unlogged table sign_in_attempts (
  key bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz(3) not null
);
comment on table sign_in_attempts is 'Recent attempts that are limited, such as passwords. key: SHA-256 of what is counted.';
create index sign_in_attempts_window_ends_at_idx on sign_in_attempts (window_ends_at);

create table password_resets (
  id uuid primary key,
  user_id uuid not null constraint password_resets_user_id_fkey references users,
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
comment on table password_resets is 'Links sent to people who forgot their password. Only the SHA-256 of the secret is kept.';
create index password_resets_expires_at_idx on password_resets (expires_at);
create index password_resets_user_id_idx on password_resets (user_id);

create table account_mails (
  id uuid primary key,
  address text not null,
  subject text not null,
  body text not null,
  attempts integer not null default 1,
  next_attempt_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
comment on table account_mails is
  'Emails to people about their own accounts. A row is deleted once its email is sent, and three days later if the mail server takes none.';
comment on column account_mails.attempts is 'The process that writes the row makes the first attempt, after its commit.';
create index account_mails_next_attempt_at_idx on account_mails (next_attempt_at);

create table totp_factors (
  user_id uuid primary key constraint totp_factors_user_id_fkey references users,
  secret bytea not null,
  secret_key_id text not null,
  last_used_step bigint,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3)
);
comment on table totp_factors is
  'The authenticator app of a person. secret: AES-256-GCM under the secrets key secret_key_id; last_used_step: no code works twice.';

create table recovery_codes (
  user_id uuid not null constraint recovery_codes_user_id_fkey references users,
  code_hash bytea not null,
  used_at timestamptz(3),
  constraint recovery_codes_pkey primary key (user_id, code_hash)
);
comment on table recovery_codes is 'Single-use codes for people who lost their authenticator app. Only their SHA-256 is kept.';

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
comment on table mfa_challenges is
  'A sign-in whose password was right and whose second factor is awaited. password_digest: SHA-256 of the hash of that password; another password ends it.';
create index mfa_challenges_expires_at_idx on mfa_challenges (expires_at);
create index mfa_challenges_membership_id_idx on mfa_challenges (membership_id);

create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null constraint user_identities_user_id_fkey references users,
  created_at timestamptz(3) not null,
  constraint user_identities_pkey primary key (issuer, subject)
);
comment on table user_identities is 'Who a person is to an OpenID provider.';
create index user_identities_user_id_idx on user_identities (user_id);

create table used_sso_states (
  state_hash bytea primary key,
  used_at timestamptz(3) not null
);
comment on table used_sso_states is
  'Single sign-ons whose answer of the provider was taken. A sign-in lasts minutes, so rows are purged after a day.';
create index used_sso_states_used_at_idx on used_sso_states (used_at);

create table oauth_clients (
  id uuid primary key,
  metadata_url text constraint oauth_clients_metadata_url_key unique,
  name text not null,
  client_uri text,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  seen_at timestamptz(3) not null default clock_timestamp(),
  fresh_until timestamptz(3),
  constraint oauth_clients_fresh_until_check check ((metadata_url is null) = (fresh_until is null))
);
comment on table oauth_clients is
  'Programs that ask people for a key. Of all organizations. metadata_url: its id is the URL of its metadata document, kept here until fresh_until.';
create index oauth_clients_seen_at_idx on oauth_clients (seen_at);

create table oauth_grants (
  id uuid primary key,
  organization_id uuid not null constraint oauth_grants_organization_id_fkey references organizations,
  client_id uuid not null constraint oauth_grants_client_id_fkey references oauth_clients,
  api_key_id uuid not null constraint oauth_grants_api_key_id_key unique
    constraint oauth_grants_api_key_id_fkey references api_keys on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  code_hash bytea not null,
  code_expires_at timestamptz(3) not null,
  code_used_at timestamptz(3),
  exchanged_at timestamptz(3),
  ends_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp()
);
comment on table oauth_grants is
  'That a person let a client in, with the code that the client exchanges once. Only the hash of the code is kept. The id of the code is the id of the grant. ends_at: when it ends even if it is refreshed.';
create index oauth_grants_client_id_idx on oauth_grants (client_id);
create index oauth_grants_organization_id_idx on oauth_grants (organization_id);
create index oauth_grants_waiting_idx on oauth_grants (code_expires_at) where exchanged_at is null;

create table oauth_refresh_tokens (
  id uuid primary key,
  grant_id uuid not null constraint oauth_refresh_tokens_grant_id_fkey references oauth_grants on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  successor_id uuid constraint oauth_refresh_tokens_successor_id_fkey references oauth_refresh_tokens on delete set null,
  sealed_tokens bytea,
  created_at timestamptz(3) not null default clock_timestamp()
);
comment on table oauth_refresh_tokens is
  'Each works once. A used one stays until it expires, so that its return is noticed. sealed_tokens: the tokens it gave, sealed under itself, for a client that lost the response.';
create index oauth_refresh_tokens_expires_at_idx on oauth_refresh_tokens (expires_at);
create index oauth_refresh_tokens_grant_id_idx on oauth_refresh_tokens (grant_id);
create index oauth_refresh_tokens_sealed_idx on oauth_refresh_tokens (used_at) where sealed_tokens is not null;
create index oauth_refresh_tokens_successor_id_idx on oauth_refresh_tokens (successor_id);
`;
