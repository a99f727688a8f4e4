/** An adapter withdraws a request whose id it may not know, because its create was cut. */
import { findByIdempotencyKey } from '../../data/requests/read.ts';
import { lockInstanceToWithdraw, withdrawKey } from '../../data/requests/withdrawn-keys.ts';
import { AppError } from '../../domain/errors.ts';
import type { AgentPrincipal } from '../../domain/people/authorization.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { countWithdrawnKey } from '../access/sign-in-attempts.ts';
import type { ServiceContext } from '../context.ts';
import { cancelRequest } from './cancel.ts';

/**
 * Cancels the request of the key. Undefined when there is none: for a day none can be made. Throws
 * `already_terminal`, and 429 for an instance that withdraws too many keys without a request.
 */
export async function withdrawByKey(
  context: ServiceContext,
  principal: AgentPrincipal,
  key: string,
): Promise<ApprovalRequest | undefined> {
  const { instanceId: instance } = principal;
  for (;;) {
    const id =
      (await findByIdempotencyKey(context.db, instance, key))?.id ??
      (await context.db.transaction(async (trx) => {
        await lockInstanceToWithdraw(trx, instance);
        const made = await findByIdempotencyKey(trx, instance, key);
        if (made) return made.id;
        await countWithdrawnKey(trx, instance);
        await withdrawKey(trx, { instance, key });
        return undefined;
      }));
    if (id === undefined) return undefined;
    const cancelled = await cancelRequest(context, principal, id).catch(ignoreMissing);
    if (cancelled) return cancelled;
  }
}

/** A cap removed the request meanwhile, so its key is free again. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}
