/** A call changes one request: a person or an adapter acts, or a reader meets what is over. */
import { lockAccessShared } from '../../data/organization/organizations.ts';
import { lockCredential } from '../../data/requests/engine/credential.ts';
import { lockRequests } from '../../data/requests/engine/lock.ts';
import type { Need } from '../../data/requests/engine/view.ts';
import { AppError } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import type { Plan } from '../../domain/requests/engine/effects.ts';
import type { PathRevision, RequestView } from '../../domain/requests/engine/view.ts';
import type { ServiceContext } from '../context.ts';
import { loadPath } from './documents.ts';
import { drive, type Basis, type Changed, type Source } from './drive.ts';

interface RequestChange<Who extends MemberPrincipal | undefined, Read, Outcome> {
  readonly id: string;
  /** The member who acts. Undefined when an adapter or the service does. */
  readonly caller: Who;
  readonly need: Need;
  /** What the plan needs besides the view and the path. */
  readonly read?: (view: RequestView, from: Source) => Promise<Read>;
  /** Pure. Throws an `AppError` to refuse without writing anything. */
  readonly plan: (basis: Omit<Basis<Who, unknown>, 'facts'> & Facts<Read>) => Plan<Outcome>;
}

interface Facts<Read> {
  readonly path: PathRevision | undefined;
  readonly read: Read | undefined;
}

/** Throws `not_found`, what `read` and `plan` throw, and what the caller's next call would get when their access has ended. */
export async function changeRequest<Who extends MemberPrincipal | undefined, Read, Outcome>(
  context: ServiceContext,
  { id, caller, need, read, plan }: RequestChange<Who, Read, Outcome>,
): Promise<Changed<Outcome>> {
  const driven = await drive(context, {
    ids: [id],
    caller,
    need: () => need,
    load: async (view, from): Promise<Facts<Read>> => {
      if (caller && view.request.organizationId !== caller.organizationId)
        throw new AppError('not_found');
      return { path: await loadPath(from.db, view), read: await read?.(view, from) };
    },
    plan: ({ facts, ...basis }) => plan({ ...basis, ...facts }),
    lock: async (trx) => {
      if (caller) await lockAccessShared(trx, caller.organizationId);
      await lockRequests(trx, [id]);
      if (caller) await lockCredential(trx, caller);
    },
  });
  const changed = driven.get(id);
  if (!changed) throw new AppError('not_found');
  return changed;
}
