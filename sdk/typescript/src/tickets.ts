/** Tickets of requests. Callers keep them, so others may have changed them. */
import type { Ticket } from './calls.ts';
import { digestOf } from './digests.ts';
import { NotApproved } from './errors.ts';
import type { Request } from './request.ts';

export function ticketOf(
  request: Request,
  { url, entry }: { url: string; entry?: string | undefined },
): Ticket {
  const { id, tool, server, deadlineAt } = request;
  return {
    ...{ id, tool },
    ...(server !== undefined && { server }),
    digest: digestOf(request.question),
    deadlineAt: deadlineAt.toISOString(),
    reviewUrl: `${url}/requests/${id}`,
    ...(entry !== undefined && { entry }),
  };
}

/** Throws a TypeError for what is no id, because it becomes a part of the address. */
export function idOf(ticket: Ticket | string): string {
  const id: unknown = typeof ticket === 'string' ? ticket : ticket.id;
  if (typeof id === 'string' && /^[\da-f-]{36}$/.test(id)) return id;
  throw new TypeError('This is no id of a request.');
}

export function requireSameCall(ticket: Ticket, request: Request): void {
  const isSame =
    ticket.tool === request.tool &&
    ticket.server === request.server &&
    ticket.digest === digestOf(request.question);
  if (!isSame) throw new NotApproved('changed', undefined, request.id);
}
