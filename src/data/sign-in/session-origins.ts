/** Where sessions were opened. */
import type { Db } from '../../platform/postgres.ts';
import { queryRow } from '../../platform/rows.ts';

export interface SessionOrigin {
  readonly email: string;
  readonly displayName: string;
  readonly clientAddress: string;
  readonly userAgent: string;
  /** Of the member's other sessions that began in the last 90 days. */
  readonly earlierAddresses: readonly string[];
}

export async function findSessionOrigin(
  db: Db,
  sessionId: string,
): Promise<SessionOrigin | undefined> {
  return await queryRow<SessionOrigin>(
    db,
    `select u.email, u.display_name, s.client_address, s.user_agent,
            array(select distinct e.client_address from sessions e
                   where e.membership_id = s.membership_id and e.id <> s.id
                     and e.created_at > s.created_at - interval '90 days') as earlier_addresses
       from sessions s
       join memberships m on m.id = s.membership_id
       join users u on u.id = m.user_id
      where s.id = :sessionId`,
    { sessionId },
  );
}
