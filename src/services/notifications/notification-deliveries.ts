/** The outbox for administrators: list deliveries and retry those that failed. */
import type { ListedDelivery } from '../../domain/notifications/notification-deliveries.ts';
import {
  countDeadDeliveries,
  findDelivery,
  listDeliveries,
  retryDelivery,
  type DeliveryPage,
} from '../../data/notifications/notification-delivery-lists.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { AppError } from '../../domain/errors.ts';
import type { MessageContext } from '../context.ts';
import { readPage } from '../pages.ts';

export async function listNotificationDeliveries(
  { db }: MessageContext,
  { organizationId }: MemberPrincipal,
  page: DeliveryPage,
): Promise<{
  readonly deliveries: readonly ListedDelivery[];
  readonly next: ListedDelivery | undefined;
}> {
  const { items, last } = await readPage(page.limit, (limit) =>
    listDeliveries(db, organizationId, { ...page, limit }),
  );
  return { deliveries: items, next: last };
}

/** How many messages could not be delivered. Counting stops at 1,000. */
export async function countDeadNotificationDeliveries(
  { db }: MessageContext,
  { organizationId }: MemberPrincipal,
): Promise<number> {
  return await countDeadDeliveries(db, organizationId);
}

/**
 * Due at once, with a full set of attempts. Throws 404, 409 `delivery_over` when it was delivered
 * or dropped.
 */
export async function retryNotificationDelivery(
  { db }: MessageContext,
  { organizationId }: MemberPrincipal,
  id: string,
): Promise<ListedDelivery> {
  const retried = await retryDelivery(db, organizationId, id);
  const delivery = await findDelivery(db, organizationId, id);
  if (!delivery) throw new AppError('not_found');
  if (!retried) throw new AppError('delivery_over', { details: { status: delivery.status } });
  return delivery;
}
