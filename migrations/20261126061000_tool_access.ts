/** What of a server's tools an agent may call through an MCP gateway. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agents add column tool_access_revision integer not null default 0;
    comment on column agents.tool_access_revision is 'Counts the changes of its tool access.';

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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table tool_access;
    alter table agents drop column tool_access_revision;
  `);
}
