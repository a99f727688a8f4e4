/** A person looks at hidden values of a request. The audit log keeps who looked at which. */
import { insertAuditEvents } from '../../../data/audit/events.ts';
import { actorOf } from '../../../domain/audit/events.ts';
import { invalid } from '../../../domain/errors.ts';
import type { ProductPrincipal } from '../../../domain/people/authorization.ts';
import { pointersInto } from '../../../platform/json/json-pointers.ts';
import type { ServiceContext } from '../../context.ts';
import { getRequest } from '../queue.ts';

interface Revealed {
  readonly id: string;
  /** Into the request: `/arguments/…` or `/context/…`. */
  readonly pointers: readonly string[];
}

/** Records it. Throws as `getRequest` does, and 400 for a pointer to nothing. */
export async function revealValues(
  context: ServiceContext,
  principal: ProductPrincipal,
  { id, pointers }: Revealed,
): Promise<void> {
  const { request } = await getRequest(context, principal, id);
  const found = new Set([
    ...foundIn('/arguments', request.arguments.text, pointers),
    ...foundIn('/context', request.context?.text, pointers),
  ]);
  const unknown = pointers.flatMap((pointer, index) =>
    found.has(pointer)
      ? []
      : [
          {
            pointer: `/pointers/${index}`,
            code: 'invalid_value' as const,
            message: 'must point to a value of the request',
          },
        ],
  );
  if (unknown.length > 0) throw invalid(unknown);
  const event = {
    eventType: 'approval_request.revealed' as const,
    actor: actorOf(principal),
    subjectId: id,
    data: { pointers },
  };
  await insertAuditEvents(context.db, request.organizationId, { events: [event] });
}

function foundIn(root: string, text: string | undefined, pointers: readonly string[]): string[] {
  if (text === undefined) return [];
  const inside = pointers
    .filter((pointer) => pointer === root || pointer.startsWith(`${root}/`))
    .map((pointer) => pointer.slice(root.length));
  return [...pointersInto(text, inside)].map((pointer) => `${root}${pointer}`);
}
