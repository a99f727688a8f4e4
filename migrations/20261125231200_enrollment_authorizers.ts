/** Who authorized an enrollment: the authorization ends with them. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agent_enrollments
      add column authorized_by_membership_id uuid
        constraint agent_enrollments_authorized_by_fkey references memberships;
    create index agent_enrollments_authorized_by_idx on agent_enrollments (authorized_by_membership_id);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agent_enrollments drop column authorized_by_membership_id');
}
