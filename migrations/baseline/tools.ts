/** What tools agents have, which they may call, and how calls are shown. */
export const tools = `
create table tool_access (
  organization_id uuid not null,
  agent_slug text not null,
  server_slug text not null,
  access text not null constraint tool_access_access_check check (access in ('all', 'selected', 'none')),
  tools text[] not null,
  revision integer not null,
  updated_at timestamptz(3) not null,
  constraint tool_access_pkey primary key (organization_id, agent_slug, server_slug),
  constraint tool_access_agent_fkey foreign key (organization_id, agent_slug) references agents,
  constraint tool_access_tools_check check (access = 'selected' or tools = '{}')
);
comment on table tool_access is
  'What of a server an agent may call through a gateway. A server without a row is closed. revision: of the agent, when the row changed last.';

create table tool_catalog_contexts (
  id uuid primary key,
  organization_id uuid not null,
  agent_slug text not null,
  agent_instance_id uuid not null constraint tool_catalog_contexts_agent_instance_id_fkey references agent_instances,
  discovery_context text not null,
  runtime text not null,
  reported_at timestamptz(3) not null,
  constraint tool_catalog_contexts_discovery_context_key unique (agent_instance_id, discovery_context),
  constraint tool_catalog_contexts_agent_fkey foreign key (organization_id, agent_slug) references agents
);
comment on table tool_catalog_contexts is
  'What one instance reports in one discovery context. A report locks this row first, so the last one wins whole.';
create index tool_catalog_contexts_agent_idx on tool_catalog_contexts (organization_id, agent_slug);

create table tool_catalog_sources (
  id uuid primary key,
  context_id uuid not null
    constraint tool_catalog_sources_context_id_fkey references tool_catalog_contexts on delete cascade,
  source text not null constraint tool_catalog_sources_source_check check (source in ('builtin', 'mcp')),
  server text,
  last_attempt_at timestamptz(3) not null,
  last_success_at timestamptz(3),
  error text,
  removed_at timestamptz(3),
  constraint tool_catalog_sources_server_key unique nulls not distinct (context_id, source, server)
);
comment on table tool_catalog_sources is
  'The built-in tools of a runtime, or an MCP server. error: of the last attempt; last_success_at: the last one without.';

create table tool_catalog_tools (
  id uuid primary key,
  source_id uuid not null constraint tool_catalog_tools_source_id_fkey references tool_catalog_sources on delete cascade,
  name text not null,
  display_name text,
  description text,
  input_schema json,
  annotations json,
  schema_fingerprint text,
  definition_digest text not null,
  last_seen_at timestamptz(3) not null,
  removed_at timestamptz(3),
  schema_changed_at timestamptz(3),
  previous_schema json,
  constraint tool_catalog_tools_name_key unique (source_id, name)
);
comment on table tool_catalog_tools is
  'Tools as reported. A removed one keeps its fingerprint for 30 days, so that a changed schema is noticed when it comes back.';
comment on column tool_catalog_tools.input_schema is 'The source text as reported: json, never jsonb. Null when unknown.';
comment on column tool_catalog_tools.schema_fingerprint is 'SHA-256 of the canonical JSON of input_schema.';
comment on column tool_catalog_tools.definition_digest is 'SHA-256 of everything reported about the tool.';
comment on column tool_catalog_tools.schema_changed_at is
  'When a report last had another schema than the one before. Null: never.';
comment on column tool_catalog_tools.previous_schema is
  'input_schema before that. Null when unknown, and once the tool was removed.';
create index tool_catalog_tools_removed_at_idx on tool_catalog_tools (removed_at) where removed_at is not null;

create table tool_presentations (
  id uuid primary key,
  organization_id uuid not null constraint tool_presentations_organization_id_fkey references organizations,
  tool text not null,
  server text,
  title text not null,
  fields json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  revision integer not null default 1
);
comment on table tool_presentations is
  'How the calls of a tool are shown. Without a server it is for calls to any server that has no entry of its own.';
comment on column tool_presentations.revision is 'Counts its changes, from 1.';
create index tool_presentations_tool_idx on tool_presentations (organization_id, tool);
create unique index tool_presentations_tool_key
  on tool_presentations (organization_id, text_digest(tool), text_digest(server)) nulls not distinct;
`;
