/** The Slack connection of an organization. */
export const slack = `
create table slack_connections (
  channel_id uuid primary key constraint slack_connections_channel_id_fkey references notification_channels,
  organization_id uuid not null constraint slack_connections_organization_id_key unique
    constraint slack_connections_organization_id_fkey references organizations,
  team_id text not null constraint slack_connections_team_id_key unique,
  team_name text not null,
  bot_user_id text not null,
  default_channel text,
  secrets bytea not null,
  secrets_key_id text not null,
  connected_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
comment on table slack_connections is
  'The Slack workspace of an organization: what its channel of kind slack has besides. secrets: bot token and signing secret as JSON, sealed.';

create table slack_links (
  membership_id uuid primary key constraint slack_links_membership_id_fkey references memberships,
  channel_id uuid not null constraint slack_links_channel_id_fkey references slack_connections on delete cascade,
  slack_user_id text not null,
  direct_channel text,
  linked_at timestamptz(3) not null,
  constraint slack_links_user_key unique (channel_id, slack_user_id)
);
comment on table slack_links is
  'The Slack user of a member, linked by a code. direct_channel: their conversation with the bot, once opened.';

create table slack_link_codes (
  membership_id uuid primary key constraint slack_link_codes_membership_id_fkey references memberships,
  channel_id uuid not null constraint slack_link_codes_channel_id_fkey references slack_connections on delete cascade,
  code_hash bytea not null,
  expires_at timestamptz(3) not null,
  constraint slack_link_codes_code_key unique (channel_id, code_hash)
);
comment on table slack_link_codes is
  'Links that were begun in a session and are to be finished in Slack. Only the SHA-256 of a code is kept.';
create index slack_link_codes_expires_at_idx on slack_link_codes (expires_at);

create table slack_messages (
  request_id uuid not null constraint slack_messages_request_id_fkey references approval_requests,
  channel_id uuid not null constraint slack_messages_channel_id_fkey references notification_channels,
  message_key text not null,
  delivery_id uuid not null,
  posting_until timestamptz(3) not null,
  slack_channel text,
  slack_ts text,
  closed_at timestamptz(3),
  constraint slack_messages_pkey primary key (request_id, channel_id, message_key),
  constraint slack_messages_posted_check check ((slack_channel is null) = (slack_ts is null)),
  constraint slack_messages_closed_check check (closed_at is null or slack_ts is not null)
);
comment on table slack_messages is
  'Messages with buttons. slack_ts null: delivery_id is posting it until posting_until. closed_at: it shows the final answer. Purged after 100 days.';
create index slack_messages_channel_id_idx on slack_messages (channel_id);
create index slack_messages_posting_until_idx on slack_messages (posting_until);

create table slack_calls (
  signature bytea primary key,
  seen_at timestamptz(3) not null
);
comment on table slack_calls is 'Signatures of calls from Slack that were taken lately: none is taken twice.';
create index slack_calls_seen_at_idx on slack_calls (seen_at);

create table slack_presses (
  id uuid primary key,
  channel_id uuid not null constraint slack_presses_channel_id_fkey references slack_connections on delete cascade,
  press_key bytea not null,
  slack_user_id text not null,
  is_foreign boolean not null,
  request_id uuid not null,
  action text not null constraint slack_presses_action_check check (action in ('approve', 'deny', 'write_note')),
  note text,
  trigger_id text not null,
  response_url text not null,
  received_at timestamptz(3) not null,
  due_at timestamptz(3),
  attempts integer not null default 0,
  constraint slack_presses_press_key unique (channel_id, press_key)
);
comment on table slack_presses is
  'Presses of buttons in Slack, acknowledged before they are handled. due_at: when a process may take it; null: its person was told the outcome. Purged after a day.';
comment on column slack_presses.request_id is
  'No foreign key: its check would wait for whoever holds the request, and Slack waits only three seconds.';
create index slack_presses_due_at_idx on slack_presses (due_at) where due_at is not null;
create index slack_presses_received_at_idx on slack_presses (received_at);
`;
