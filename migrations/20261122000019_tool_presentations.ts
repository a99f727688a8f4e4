/** Tool presentations: how an organization wants the calls of its tools to be shown. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table tool_presentations (
      id uuid primary key,
      organization_id uuid not null constraint tool_presentations_organization_id_fkey references organizations,
      tool text not null,
      server text,
      title text not null,
      fields json not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint tool_presentations_tool_key unique nulls not distinct (organization_id, tool, server)
    );
    comment on table tool_presentations is
      'How the calls of a tool are shown. Without a server it is for calls to any server that has no entry of its own.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table tool_presentations');
}
