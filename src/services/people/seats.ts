/** Seats of an organization: members that are not removed, and pending invitations. */
import { AppError } from '../../domain/errors.ts';
import { lockAccess } from '../../data/organization/organizations.ts';
import { countSeats } from '../../data/people/seats.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

export interface Seats {
  readonly used: number;
  readonly limit: number;
}

export async function readSeats(
  { db, limits }: Pick<ServiceContext, 'db' | 'limits'>,
  organizationId: string,
): Promise<Seats> {
  return { used: await countSeats(db, organizationId), limit: limits.seats };
}

/**
 * Call it in the transaction that adds a member or invitation, before it does. It locks the
 * organization, so that only one of two concurrent calls gets the last seat. Throws 409
 * `seat_limit_reached` {dimension, limit, used}. Accepting an invitation takes no further seat.
 */
export async function claimSeat(
  trx: Trx,
  organizationId: string,
  limits: { readonly seats: number },
): Promise<void> {
  await lockAccess(trx, organizationId);
  const used = await countSeats(trx, organizationId);
  const limit = limits.seats;
  if (used >= limit)
    throw new AppError('seat_limit_reached', { details: { dimension: 'seats', limit, used } });
}
