/** The organizations of a deployment, for commands on its machine. Calls of the API only ever know their own. */
import type { Db } from '../../platform/postgres.ts';
import { queryRows } from '../../platform/rows.ts';

export interface NamedOrganization {
  readonly id: string;
  readonly slug: string;
  readonly isDeleted: boolean;
}

/** Deleted ones last. */
export async function listOrganizations(db: Db): Promise<NamedOrganization[]> {
  return await queryRows<NamedOrganization>(
    db,
    'select id, slug, deleted_at is not null as is_deleted from organizations order by 3, slug, id',
  );
}
