/** Tool catalog: the tools that instances of agents report. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table tool_catalog_contexts (
      id uuid primary key,
      organization_id uuid not null,
      agent_slug text not null,
      agent_instance_id uuid not null
        constraint tool_catalog_contexts_agent_instance_id_fkey references agent_instances,
      discovery_context text not null,
      runtime text not null,
      reported_at timestamptz(3) not null,
      constraint tool_catalog_contexts_discovery_context_key unique (agent_instance_id, discovery_context),
      constraint tool_catalog_contexts_agent_fkey foreign key (organization_id, agent_slug) references agents
    );
    create index tool_catalog_contexts_agent_idx on tool_catalog_contexts (organization_id, agent_slug);
    comment on table tool_catalog_contexts is
      'What one instance reports in one discovery context. A report locks this row first, so the last one wins whole.';

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
      source_id uuid not null
        constraint tool_catalog_tools_source_id_fkey references tool_catalog_sources on delete cascade,
      name text not null,
      display_name text,
      description text,
      input_schema json,
      annotations json,
      schema_fingerprint text,
      definition_digest text not null,
      last_seen_at timestamptz(3) not null,
      removed_at timestamptz(3),
      constraint tool_catalog_tools_name_key unique (source_id, name)
    );
    create index tool_catalog_tools_removed_at_idx on tool_catalog_tools (removed_at) where removed_at is not null;
    comment on table tool_catalog_tools is
      'Tools as reported. A removed one keeps its fingerprint for 30 days, so that a changed schema is noticed when it comes back.';
    comment on column tool_catalog_tools.input_schema is 'The source text as reported: json, never jsonb. Null when unknown.';
    comment on column tool_catalog_tools.schema_fingerprint is 'SHA-256 of the canonical JSON of input_schema.';
    comment on column tool_catalog_tools.definition_digest is 'SHA-256 of everything reported about the tool.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table tool_catalog_tools, tool_catalog_sources, tool_catalog_contexts');
}
