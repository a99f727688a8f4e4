/** Changes of all requests of an organization, an agent, an instance or a member, in the transaction that causes them. */
import { lockOpenRequests, lockRequestsClaimedBy } from '../../data/requests/engine/lock.ts';
import type { AuditActor } from '../../domain/audit/events.ts';
import { planCancelByService } from '../../domain/requests/engine/cancel.ts';
import { planReleaseOf } from '../../domain/requests/engine/claim.ts';
import type { Effects } from '../../domain/requests/engine/effects.ts';
import type { Trx } from '../../platform/postgres.ts';
import type { Runtime } from '../context.ts';
import { announceChanged, announceEach } from './announce.ts';
import { committedOf, driveLocked, type Basis } from './drive.ts';

interface CancelAll {
  readonly organizationId: string;
  /** Only requests of this agent. */
  readonly agentSlug?: string;
  /** Only requests of this instance. */
  readonly instanceId?: string;
  readonly actor: AuditActor;
  /** The reason, for the audit log. */
  readonly reason: string;
}

/**
 * Cancels all open requests. Call it in a transaction that prevents new ones. It waits for requests that others have locked;
 * those that were decided meanwhile stay so, and those past their deadline expire. After the commit: `announceCommitted`.
 */
export async function cancelAll(
  trx: Trx,
  { organizationId, agentSlug, instanceId, ...cancel }: CancelAll,
): Promise<Effects[]> {
  return await changeLocked(trx, {
    ids: await lockOpenRequests(trx, organizationId, { agentSlug, instanceId }),
    plan: ({ view, decisionId }) => planCancelByService(view, { ...cancel, decisionId }),
  });
}

interface ReleaseAll {
  readonly organizationId: string;
  readonly membershipId: string;
  readonly actor: AuditActor;
  readonly reason: string;
}

/** Ends the claims of a member who is suspended or removed, so that no request waits for them. */
export async function releaseClaimsOf(
  trx: Trx,
  { organizationId, ...release }: ReleaseAll,
): Promise<Effects[]> {
  return await changeLocked(trx, {
    ids: await lockRequestsClaimedBy(trx, organizationId, release.membershipId),
    plan: ({ view, decisionId }) => planReleaseOf(view, { ...release, decisionId }),
  });
}

/** Requests that one statement changes. Their claims and decisions are short. */
const AT_ONCE = 500;

interface Locked {
  readonly ids: readonly string[];
  readonly plan: (basis: Basis<undefined, undefined>) => Effects;
}

/** None is left out. The plans notify no one, so it does not matter whether the deployment sends email. */
async function changeLocked(trx: Trx, { ids, plan }: Locked): Promise<Effects[]> {
  const all: Effects[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const set = {
      ids: ids.slice(from, from + AT_ONCE),
      caller: undefined,
      need: () => ({ texts: false }),
      load: () => Promise.resolve(undefined),
      plan: (basis: Basis<undefined, undefined>) => ({ effects: plan(basis), outcome: undefined }),
    };
    all.push(...committedOf(await driveLocked(trx, set, { byEmail: false })));
  }
  return all;
}

/** Notifies the waiting callers and the workflows, after the commit. */
export function announceCommitted(runtime: Runtime, committed: readonly Effects[]): void {
  for (const status of ['cancelled', 'expired'] as const) {
    const ids = committed.flatMap(({ request }) => (request.state === status ? [request.id] : []));
    const signal = status === 'cancelled' ? 'cancel' : 'changed';
    announceEach(runtime, ids, { status, channel: 'system', signal });
  }
  for (const { request } of committed)
    if (request.state === 'pending') announceChanged(runtime, request.id, 'claim');
}
