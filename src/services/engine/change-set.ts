/** The same three calls for many requests at once: one view, a plan for each, one commit. */
import { commit, type Guard } from '../../data/requests/engine/commit.ts';
import { readViews, type Need } from '../../data/requests/engine/view.ts';
import { isEmpty, type Effects } from '../../domain/requests/engine/effects.ts';
import type { RequestView } from '../../domain/requests/engine/view.ts';
import { createYielder } from '../../platform/event-loop.ts';
import type { Db } from '../../platform/postgres.ts';
import type { ServiceContext } from '../context.ts';

interface SetChange {
  readonly need: Need;
  readonly depends: 'row' | 'access';
  /** Undefined leaves a request out. */
  readonly plan: (view: RequestView) => Effects | undefined | Promise<Effects | undefined>;
}

/** People that one statement notifies. Until it commits it holds its requests and organizations. */
const MOST_PEOPLE = 2_000;

/** What was committed. Requests that have changed meanwhile, or are being changed, are left out. */
export async function changeSet(
  context: ServiceContext,
  ids: readonly string[],
  change: SetChange,
): Promise<Effects[]> {
  const set = { ids, byEmail: context.mailer !== undefined, ...change };
  return (await changeSetIn(context.db, set)).done;
}

interface SetIds {
  readonly ids: readonly string[];
  /** This deployment sends email to the people that the plans notify. */
  readonly byEmail: boolean;
}

interface SetDone {
  readonly done: Effects[];
  /** The ids of those that were planned and not committed. */
  readonly missed: string[];
}

/** The same in a transaction that has locked the requests: only a plan that became old is missed. */
export async function changeSetIn(
  db: Db,
  { ids, need, depends, plan, byEmail }: SetChange & SetIds,
): Promise<SetDone> {
  if (ids.length === 0) return { done: [], missed: [] };
  const yieldIfDue = createYielder();
  const planned: Effects[] = [];
  for (const view of await readViews(db, ids, need)) {
    const effects = await plan(view);
    if (effects && !isEmpty(effects)) planned.push(effects);
    await yieldIfDue();
  }
  const guard: Guard = { depends, byEmail };
  const done = new Set<Effects>();
  for (const part of partsOf(planned, ({ notifications }) => notifications.length, MOST_PEOPLE)) {
    const written = await commit(db, part, guard);
    for (const effects of part) if (written.has(effects.request.id)) done.add(effects);
  }
  const missed = planned.filter((effects) => !done.has(effects));
  return { done: [...done], missed: missed.map(({ request }) => request.id) };
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
