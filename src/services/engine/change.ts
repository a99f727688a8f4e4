/**
 * The one way to change a request: read a view, plan, commit. When the request or anyone's rights have changed meanwhile,
 * the three calls are made again, from the third time under locks that were taken first. So a busy request never starves.
 */
import { lockAccessShared } from '../../data/organization/organizations.ts';
import { commit, type Guard } from '../../data/requests/engine/commit.ts';
import { lockRequests } from '../../data/requests/engine/lock.ts';
import { readView, type Need } from '../../data/requests/engine/view.ts';
import { AppError } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { isEmpty, type Effects, type Plan } from '../../domain/requests/engine/effects.ts';
import type { PathRevision, RequestView } from '../../domain/requests/engine/view.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';
import { rereadMember } from '../access/current-callers.ts';
import { loadPath } from './documents.ts';

/** How often a change is tried before its locks are taken first. */
export const TRIES_WITHOUT_LOCKS = 2;
/** Under locks only the clock can outdate a plan. */
const TRIES_UNDER_LOCKS = 5;

export interface Change<Caller extends MemberPrincipal | undefined, Outcome> {
  readonly id: string;
  /** The member who acts. Undefined when an adapter or the service does. */
  readonly caller: Caller;
  readonly need: Need;
  /** Throws an `AppError` to refuse without writing anything. */
  readonly plan: (basis: Basis<Caller>) => Plan<Outcome> | Promise<Plan<Outcome>>;
}

/** What a plan is made from. */
export interface Basis<Caller> {
  /** Reads besides the view go here: under locks it is the transaction, and a second connection could exhaust the pool. */
  readonly db: Db;
  readonly view: RequestView;
  readonly path: PathRevision | undefined;
  /** As read with the call, or again at a later try. */
  readonly caller: Caller;
}

/** What came of a change. */
export interface Changed<Outcome> {
  /** They were committed. Absent when nothing was to be written. */
  readonly effects?: Effects;
  readonly outcome: Outcome | AppError;
}

/** Throws `not_found`, what `plan` throws, and what the caller's next call would get when their access has ended. */
export async function changeRequest<Caller extends MemberPrincipal | undefined, Outcome>(
  context: ServiceContext,
  change: Change<Caller, Outcome>,
): Promise<Changed<Outcome>> {
  for (let tries = 1; tries <= TRIES_WITHOUT_LOCKS; tries += 1) {
    const caller = tries === 1 ? change.caller : await reread(context.db, change.caller);
    const changed = await attempt(context.db, context, { ...change, caller });
    if (changed) return changed;
  }
  return await context.db.transaction(async (trx) => {
    const caller = await lockFirst(trx, change);
    return await untilCommitted(async () => await attempt(trx, context, { ...change, caller }));
  });
}

async function reread<Caller extends MemberPrincipal | undefined>(
  db: Db,
  caller: Caller,
): Promise<Caller> {
  return caller && ((await rereadMember(db, caller)) as Caller);
}

/** Access, then the request: the order of every writer. The caller is read after the last lock. */
async function lockFirst<Caller extends MemberPrincipal | undefined>(
  trx: Trx,
  { id, caller }: Pick<Change<Caller, unknown>, 'id' | 'caller'>,
): Promise<Caller> {
  if (caller) await lockAccessShared(trx, caller.organizationId);
  await lockRequests(trx, [id]);
  return await reread(trx, caller);
}

async function attempt<Caller extends MemberPrincipal | undefined, Outcome>(
  db: Db,
  { mailer }: ServiceContext,
  { id, caller, need, plan }: Change<Caller, Outcome>,
): Promise<Changed<Outcome> | undefined> {
  const view = await readView(db, id, need);
  if (!view || (caller && view.request.organizationId !== caller.organizationId))
    throw new AppError('not_found');
  const planned = await plan({ db, view, path: await loadPath(db, view), caller });
  const { effects, outcome } = planned;
  if (!effects || isEmpty(effects)) return { outcome };
  // Rights of another instant than the view's.
  if (caller && caller.accessVersion !== view.accessVersion) return undefined;
  const guard: Guard = { depends: caller ?? 'row', byEmail: mailer !== undefined };
  return (await commit(db, [effects], guard)).size > 0 ? { effects, outcome } : undefined;
}

/** Tries until the plan is committed before it is outdated. */
export async function untilCommitted<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= TRIES_UNDER_LOCKS; tries += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new AppError('dependency_unavailable');
}

/** The outcome, or what it throws. */
export function outcomeOf<Outcome>({ outcome }: Changed<Outcome>): Outcome {
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}
