/** Clients of OAuth, and what people let them do: a personal key each, whose token changes at every refresh. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table oauth_clients (
      id uuid constraint oauth_clients_pkey primary key,
      metadata_url text constraint oauth_clients_metadata_url_key unique,
      name text not null,
      client_uri text,
      redirect_uris text[] not null,
      created_at timestamptz(3) not null default clock_timestamp(),
      seen_at timestamptz(3) not null default clock_timestamp(),
      fresh_until timestamptz(3),
      constraint oauth_clients_fresh_until_check check ((metadata_url is null) = (fresh_until is null))
    );
    create index oauth_clients_seen_at_idx on oauth_clients (seen_at);
    comment on table oauth_clients is
      'Programs that ask people for a key. Of all organizations. metadata_url: its id is the URL of its metadata document, kept here until fresh_until.';

    alter table api_keys
      add column token_expires_at timestamptz(3),
      add column resource text constraint api_keys_resource_check check (resource in ('mcp', 'api'));
    comment on column api_keys.token_expires_at is 'Of a key of a client: when its present token stops working. The key lives on, with a new token.';
    comment on column api_keys.resource is 'Of a key of a client: what it opens. mcp: nothing but the MCP endpoint and its own verification.';

    create table oauth_grants (
      id uuid constraint oauth_grants_pkey primary key,
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
    create index oauth_grants_client_id_idx on oauth_grants (client_id);
    create index oauth_grants_organization_id_idx on oauth_grants (organization_id);
    create index oauth_grants_waiting_idx on oauth_grants (code_expires_at) where exchanged_at is null;
    comment on table oauth_grants is
      'That a person let a client in, with the code that the client exchanges once. Only the hash of the code is kept. The id of the code is the id of the grant. ends_at: when it ends even if it is refreshed.';

    create table oauth_refresh_tokens (
      id uuid constraint oauth_refresh_tokens_pkey primary key,
      grant_id uuid not null constraint oauth_refresh_tokens_grant_id_fkey references oauth_grants on delete cascade,
      token_hash bytea not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      successor_id uuid constraint oauth_refresh_tokens_successor_id_fkey references oauth_refresh_tokens on delete set null,
      sealed_tokens bytea,
      created_at timestamptz(3) not null default clock_timestamp()
    );
    create index oauth_refresh_tokens_grant_id_idx on oauth_refresh_tokens (grant_id);
    create index oauth_refresh_tokens_successor_id_idx on oauth_refresh_tokens (successor_id);
    create index oauth_refresh_tokens_expires_at_idx on oauth_refresh_tokens (expires_at);
    create index oauth_refresh_tokens_sealed_idx on oauth_refresh_tokens (used_at) where sealed_tokens is not null;
    comment on table oauth_refresh_tokens is
      'Each works once. A used one stays until it expires, so that its return is noticed. sealed_tokens: the tokens it gave, sealed under itself, for a client that lost the response.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table oauth_refresh_tokens, oauth_grants, oauth_clients;
    alter table api_keys drop column resource, drop column token_expires_at;
  `);
}
