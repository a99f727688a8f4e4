/** When an approved call was started, by which instance, and which instances of an agent may act on a request. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table approval_requests
      add column started_at timestamptz(3),
      add column started_by_instance_id uuid,
      add constraint approval_requests_started_check
        check ((started_at is null) = (started_by_instance_id is null) and (started_at is null or state = 'approved'));
    comment on column approval_requests.started_at is 'When an adapter reported that it starts the approved call. An approval is started once.';
    alter table agents
      add column resume text not null default 'instance'
        constraint agents_resume_check check (resume in ('instance', 'agent'));
    comment on column agents.resume is
      'Who may read, wait for, start and withdraw a request: the instance that made it, or any active instance of the agent.';
    create index approval_requests_open_instance_idx on approval_requests (agent_instance_id, created_at desc, id desc)
      where state in ('evaluating', 'pending');
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index approval_requests_open_instance_idx;
    alter table agents drop column resume;
    alter table approval_requests drop column started_at, drop column started_by_instance_id;
  `);
}
