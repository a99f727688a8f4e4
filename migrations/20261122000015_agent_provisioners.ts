/** Provisioner tokens: a fleet uses one to make instances of its agent. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agent_provisioners (
      id uuid primary key,
      organization_id uuid not null,
      agent_slug text not null,
      created_by_actor_id uuid not null,
      token_hash bytea not null,
      suffix text not null constraint agent_provisioners_suffix_check check (length(suffix) = 6),
      issued_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      last_used_at timestamptz(3),
      revoked_at timestamptz(3),
      constraint agent_provisioners_agent_fkey foreign key (organization_id, agent_slug) references agents
    );
    create index agent_provisioners_list_idx on agent_provisioners (organization_id, agent_slug, issued_at desc, id desc);
    comment on table agent_provisioners is
      'Provisioner tokens (whp_) of agents. Only the SHA-256 of the secret and the last six characters of the token are kept.';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table agent_provisioners');
}
