/**
 * The one driver of the engine. It reads views of any number of requests, plans each and commits them together. A request
 * that changed in the meantime is retried. The third try takes its locks first, so a busy request never starves. A plan that needs
 * an exact count takes them at once.
 */
import { v7 } from 'uuid';
import { commit, type Guard } from '../../data/requests/engine/commit.ts';
import { lockPathOf } from '../../data/requests/engine/lock.ts';
import { readViews, type Need } from '../../data/requests/engine/view.ts';
import { AppError } from '../../domain/errors.ts';
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import {
  isEmpty,
  isRoutedNow,
  type Effects,
  type Plan,
} from '../../domain/requests/engine/effects.ts';
import type { Incomplete } from '../../domain/requests/engine/step.ts';
import type { RequestView } from '../../domain/requests/engine/view.ts';
import { createYielder } from '../../platform/event-loop.ts';
import type { Db, Trx } from '../../platform/postgres.ts';
import { rereadMember } from '../access/current-callers.ts';
import type { ServiceContext } from '../context.ts';

/** How often a change is tried before its locks are taken first. */
const TRIES_WITHOUT_LOCKS = 2;
/** Under locks only the clock can outdate a plan. */
const TRIES_UNDER_LOCKS = 5;
/** People that one statement notifies for a set. Until it commits it holds its requests and organizations. */
const MOST_PEOPLE = 2_000;

type Caller = MemberPrincipal | undefined;

export interface Change<Who extends Caller, Facts, Outcome> {
  readonly ids: readonly string[];
  /** The member who acts. Undefined when an adapter or the service does. */
  readonly caller: Who;
  /** What a view reads. `withPeople`: an earlier plan needed them. */
  readonly need: (withPeople: boolean) => Need;
  /** All reading between view and plan. May throw an `AppError` to refuse. */
  readonly load: (view: RequestView, from: Source) => Promise<Facts>;
  /** Pure. Undefined leaves the request out. Throws an `AppError` to refuse without writing anything. */
  readonly plan: (basis: Basis<Who, Facts>) => Planned<Outcome>;
  /** Takes the locks first, in the order of every writer. Without it, what has changed meanwhile is left out. */
  readonly lock?: (trx: Trx) => Promise<void>;
  /** Before another try without locks. */
  readonly again?: () => void;
  /** Leaves out a request that cannot be planned. Without it, the others fail with it. */
  readonly unplanned?: (id: string, error: unknown) => void;
  /** Replaces the removal of a row that Postgres refuses. Removals are planned only under locks, since they need an exact count. */
  readonly unremoved?: (effects: Effects, error: unknown) => Effects;
}

/** Where to read: under locks in their transaction, since a second connection could exhaust the pool. */
export interface Source {
  readonly db: Db;
  readonly isLocked: boolean;
}

/** What a plan is made from. */
export interface Basis<Who, Facts> {
  readonly view: RequestView;
  readonly facts: Facts;
  /** As read with the call, or again at a later try. */
  readonly caller: Who;
  /** Of the decision, if the plan makes one. */
  readonly decisionId: string;
}

type Planned<Outcome> = Plan<Outcome> | Incomplete | undefined;

/** What came of a change. */
export interface Changed<Outcome> {
  readonly view: RequestView;
  /** They were committed. Absent when nothing was to be written. */
  readonly effects?: Effects;
  readonly outcome: Outcome | AppError;
}

/** By id. Requests that do not exist are absent, and those that were left out. */
type Driven<Outcome> = ReadonlyMap<string, Changed<Outcome>>;

/** Throws what `load` and `plan` throw, and what the caller's next call would get when their access has ended. */
export async function drive<Who extends Caller, Facts, Outcome>(
  context: Pick<ServiceContext, 'db' | 'mailer' | 'limits'>,
  given: Change<Who, Facts, Outcome>,
): Promise<Driven<Outcome>> {
  const { db } = context;
  const byEmail = context.mailer !== undefined;
  const free = { db, byEmail, cap: context.limits.pendingRequests };
  const driven = new Map<string, Changed<Outcome>>();
  const { lock } = given;
  let change = given;
  for (let tries = 1; tries <= (lock ? TRIES_WITHOUT_LOCKS : 1); tries += 1) {
    if (tries > 1) {
      change = { ...change, caller: await reread(db, change.caller) };
      change.again?.();
    }
    const tried = await attempt(free, change);
    for (const [id, changed] of tried.done) driven.set(id, changed);
    change = { ...change, ids: tried.missed };
    if (tried.missed.length === 0) return driven;
    if (tried.needsLocks) break;
  }
  if (!lock) return driven;
  return await db.transaction(async (trx) => {
    await lock(trx);
    // After the last lock.
    const caller = await reread(trx, change.caller);
    const locked = await driveLocked(trx, { ...change, caller }, { byEmail });
    return new Map([...driven, ...locked]);
  });
}

/** In a transaction that has locked the requests. A plan that became old before its commit is made again. */
export async function driveLocked<Who extends Caller, Facts, Outcome>(
  trx: Trx,
  given: Change<Who, Facts, Outcome>,
  { byEmail }: Pick<Guard, 'byEmail'>,
): Promise<Driven<Outcome>> {
  const driven = new Map<string, Changed<Outcome>>();
  let change = given;
  for (let tries = 1; tries <= TRIES_UNDER_LOCKS && change.ids.length > 0; tries += 1) {
    const tried = await attempt({ db: trx, trx, byEmail }, change);
    for (const [id, changed] of tried.done) driven.set(id, changed);
    change = { ...change, ids: tried.missed };
  }
  if (change.ids.length > 0) throw new AppError('dependency_unavailable');
  return driven;
}

/** The outcome, or what it throws. */
export function outcomeOf<Outcome>({ outcome }: Pick<Changed<Outcome>, 'outcome'>): Outcome {
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** What was committed. */
export function committedOf(driven: Driven<unknown>): Effects[] {
  return [...driven.values()].flatMap(({ effects }) => (effects ? [effects] : []));
}

async function reread<Who extends Caller>(db: Db, caller: Who): Promise<Who> {
  return caller && ((await rereadMember(db, caller)) as Who);
}

interface Trying extends Pick<Guard, 'byEmail' | 'cap'> {
  readonly db: Db;
  /** The transaction that holds the locks. */
  readonly trx?: Trx;
}

/** What came of one try. */
interface Tried<Outcome> {
  readonly done: Map<string, Changed<Outcome>>;
  /** They have changed since they were read, or are being changed. */
  readonly missed: string[];
  /** Another try without locks would be in vain. */
  readonly needsLocks: boolean;
}

async function attempt<Who extends Caller, Facts, Outcome>(
  trying: Trying,
  change: Change<Who, Facts, Outcome>,
  withPeople = false,
): Promise<Tried<Outcome>> {
  const views = await readViews(trying.db, change.ids, change.need(withPeople));
  const { done, changes, missed, lacking } = await planAll(trying, change, views);
  for (const part of inParts(changes)) {
    const written = await write(trying, change, part);
    for (const each of part) {
      const { id } = each.view.request;
      const effects = written.get(id);
      if (effects) done.set(id, { ...each, effects });
      else missed.push(id);
    }
  }
  const withoutPeople = [...lacking].flatMap(([id, what]) => (what === 'people' ? [id] : []));
  const withoutCount = [...lacking].flatMap(([id, what]) => (what === 'exact_count' ? [id] : []));
  if (
    withoutPeople.length + withoutCount.length < lacking.size ||
    (withPeople && withoutPeople.length > 0)
  )
    throw new Error('a plan lacks what was read for it');
  const tried = {
    done,
    missed: [...missed, ...withoutCount],
    needsLocks: withoutCount.length > 0,
  };
  if (withoutPeople.length === 0) return tried;
  const others = await attempt(trying, { ...change, ids: withoutPeople }, true);
  return {
    done: new Map([...done, ...others.done]),
    missed: [...tried.missed, ...others.missed],
    needsLocks: tried.needsLocks || others.needsLocks,
  };
}

type PlannedChange<Outcome> = Changed<Outcome> & Required<Pick<Changed<Outcome>, 'effects'>>;

interface PlannedAll<Outcome> {
  /** Nothing is to be written for them. */
  readonly done: Map<string, Changed<Outcome>>;
  readonly changes: PlannedChange<Outcome>[];
  readonly missed: string[];
  readonly lacking: Map<string, Incomplete['lacks']>;
}

async function planAll<Who extends Caller, Facts, Outcome>(
  trying: Trying,
  change: Change<Who, Facts, Outcome>,
  views: readonly RequestView[],
): Promise<PlannedAll<Outcome>> {
  const { caller } = change;
  const all: PlannedAll<Outcome> = {
    done: new Map(),
    changes: [],
    missed: [],
    lacking: new Map(),
  };
  const yieldIfDue = createYielder();
  for (const view of views) {
    const { id } = view.request;
    const planned = await planOne(trying, change, view);
    if (planned && 'lacks' in planned) all.lacking.set(id, planned.lacks);
    else if (planned) {
      const { effects, outcome } = planned;
      if (!effects || isEmpty(effects)) all.done.set(id, { view, outcome });
      // Rights of another instant than the view's.
      else if (caller && caller.accessVersion !== view.accessVersion) all.missed.push(id);
      else all.changes.push({ view, effects, outcome });
    }
    await yieldIfDue();
  }
  return all;
}

async function planOne<Who extends Caller, Facts, Outcome>(
  { db, trx }: Trying,
  { load, plan, caller, unplanned }: Change<Who, Facts, Outcome>,
  view: RequestView,
): Promise<Planned<Outcome>> {
  try {
    const facts = await load(view, { db, isLocked: trx !== undefined });
    return plan({ view, facts, caller, decisionId: v7() });
  } catch (error) {
    if (!unplanned) throw error;
    unplanned(view.request.id, error);
    return undefined;
  }
}

function inParts<Outcome>(changes: readonly PlannedChange<Outcome>[]) {
  if (changes.length <= 1) return changes.map((each) => [each]);
  return partsOf(changes, ({ effects }) => effects.notifications.length, MOST_PEOPLE);
}

/** The effects that were written, by id. */
async function write<Outcome>(
  { db, trx, ...limits }: Trying,
  { caller, unremoved }: Pick<Change<Caller, never, Outcome>, 'caller' | 'unremoved'>,
  changes: readonly PlannedChange<Outcome>[],
): Promise<ReadonlyMap<string, Effects>> {
  const planned = changes.map(({ effects }) => effects);
  // Who was read with the view must still have their rights.
  const readPeople = planned.some(({ view }) => view.routing !== undefined);
  const guard: Guard = { depends: caller ?? (readPeople ? 'access' : 'row'), ...limits };
  if (!trx) return await committed(db, planned, guard);
  for (const { request } of planned.filter(isRoutedNow))
    if (request.route?.pathRevisionId !== undefined)
      await lockPathOf(trx, request.route.pathRevisionId);
  if (!unremoved || !planned.some(({ isRemoved }) => isRemoved))
    return await committed(trx, planned, guard);
  try {
    return await trx.transaction(async (savepoint) => await committed(savepoint, planned, guard));
  } catch (error) {
    const kept = planned.map((each) => (each.isRemoved ? unremoved(each, error) : each));
    return await committed(trx, kept, guard);
  }
}

async function committed(
  db: Db,
  planned: readonly Effects[],
  guard: Guard,
): Promise<ReadonlyMap<string, Effects>> {
  const written = await commit(db, planned, guard);
  return new Map(
    planned.flatMap((effects): [string, Effects][] =>
      written.has(effects.request.id) ? [[effects.request.id, effects]] : [],
    ),
  );
}

/** Exported for tests: consecutive items of at most this weight together. A heavier item is left out. */
export function partsOf<Item>(
  items: readonly Item[],
  weigh: (item: Item) => number,
  most: number,
): Item[][] {
  const parts: Item[][] = [];
  let room = 0;
  for (const item of items.filter((each) => weigh(each) <= most)) {
    const weight = weigh(item);
    if (parts.length === 0 || weight > room) {
      parts.push([]);
      room = most;
    }
    parts.at(-1)?.push(item);
    room -= weight;
  }
  return parts;
}
