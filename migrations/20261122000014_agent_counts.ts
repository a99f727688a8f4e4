/** Counts of the requests of agents and instances, and the indexes that lists of agents read. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agent_request_days (
      organization_id uuid not null,
      agent_slug text not null,
      day date not null,
      requests bigint not null,
      constraint agent_request_days_pkey primary key (organization_id, agent_slug, day),
      constraint agent_request_days_agent_fkey foreign key (organization_id, agent_slug) references agents
    );
    comment on table agent_request_days is
      'How many requests an agent created on a UTC day, before request_count_mark. Later ones are counted when a list is read.';

    create table agent_instance_request_days (
      agent_instance_id uuid not null constraint agent_instance_request_days_agent_instance_id_fkey references agent_instances,
      day date not null,
      requests bigint not null,
      constraint agent_instance_request_days_pkey primary key (agent_instance_id, day)
    );
    create index agent_instance_request_days_day_idx on agent_instance_request_days (day);
    comment on table agent_instance_request_days is 'The same for instances. Only the last seven days are kept.';

    create table request_count_mark (
      id boolean primary key default true constraint request_count_mark_id_check check (id),
      counted_until timestamptz(3) not null
    );
    comment on table request_count_mark is 'One row: all requests created before this instant are in the counts by day, and no others.';
    insert into request_count_mark (counted_until) values ('-infinity');

    create index approval_requests_open_agent_idx on approval_requests (organization_id, agent_slug, state)
      where state in ('evaluating', 'pending');
    create index agent_instances_last_seen_idx
      on agent_instances (organization_id, agent_slug, last_seen_at desc, created_at desc, id desc);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index approval_requests_open_agent_idx, agent_instances_last_seen_idx;
    drop table agent_request_days, agent_instance_request_days, request_count_mark;
  `);
}
