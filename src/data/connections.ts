/** How many connections the server of the database allows, and how many processes share them. */
import { queryOne } from '../platform/rows.ts';
import type { Db } from '../platform/postgres.ts';
import { LISTENER } from './changes.ts';

export interface ConnectionRoom {
  /** Those of this database that hear of changes. Each process has one such connection. */
  readonly processes: number;
  /** Connections for all roles that are not reserved. */
  readonly allowed: number;
}

export async function readConnectionRoom(db: Db): Promise<ConnectionRoom> {
  return await queryOne<ConnectionRoom>(
    db,
    `select (select count(*) from pg_stat_activity
              where datname = current_database() and application_name = :listener) as processes,
            cast(current_setting('max_connections') as integer)
              - cast(current_setting('superuser_reserved_connections') as integer)
              - cast(current_setting('reserved_connections') as integer) as allowed`,
    { listener: LISTENER },
  );
}
