/** The changes of a reviewer's queue: a long poll that misses none. */
import {
  countQueue,
  findChanges,
  listPendingIds,
  readSnapshot,
  type FoundChanges,
  type QueueCounts,
} from '../../../data/requests/queue/changes.ts';
import type { QueueScope } from '../../../data/requests/queue/access.ts';
import { findSummaries, type SummaryEntry } from '../../../data/requests/queue/summaries.ts';
import type { ProductPrincipal } from '../../../domain/people/authorization.ts';
import { accessDigest, listAccess } from '../../../domain/requests/request-access.ts';
import type { WaitingContext } from '../../context.ts';
import { readerOf } from '../queue.ts';
import { summariesOf, type RequestSummary } from './summaries.ts';
import { parkOnQueue, type ParkedOnQueue } from '../waiting/queue-wait.ts';

/** Most requests of one response. If more have changed, the reader has to read their list again. */
const MOST_CHANGES = 200;
const MOST_COUNTED_REQUESTS = 1_000;

/** Up to where a reader knows the changes, and with which access. */
export interface ChangeCursor {
  readonly snapshot: string;
  readonly access: string;
}

export interface QueueChanges {
  /** Pending requests of the scope. */
  readonly changed: readonly RequestSummary[];
  /** Ids of requests that the scope's list of pending ones no longer has. */
  readonly gone: readonly string[];
  /** The reader has to read the list again: its changes are not known one by one. */
  readonly isReset: boolean;
  readonly counts: QueueCounts;
  readonly cursor: ChangeCursor;
}

export interface ChangesInput {
  readonly scope: QueueScope;
  /** Absent for a reader that begins. */
  readonly after: ChangeCursor | undefined;
  /** Milliseconds at most. */
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly authenticateAgain: () => Promise<ProductPrincipal>;
}

/**
 * What changed since `after`: at once if something has, else when something does or the time is
 * over. Throws what the next call would get when the caller's access ends meanwhile.
 */
export async function awaitChanges(
  context: WaitingContext,
  caller: ProductPrincipal,
  input: ChangesInput,
): Promise<QueueChanges> {
  const { scope, after } = input;
  if (!after) {
    const news = { snapshot: await readSnapshot(context.db) };
    return await respondWith(context, { caller, scope }, news);
  }
  // Registered before it reads, so that no change falls between.
  const parked = parkOnQueue(context, caller, input);
  try {
    return await nextNews(context, caller, { ...input, after, parked });
  } finally {
    parked.leave();
  }
}

interface Waiting extends ChangesInput {
  readonly after: ChangeCursor;
  readonly parked: ParkedOnQueue;
}

async function nextNews(
  context: WaitingContext,
  caller: ProductPrincipal,
  { scope, after, parked, authenticateAgain }: Waiting,
): Promise<QueueChanges> {
  const reader = { caller, scope };
  let { snapshot } = after;
  for (let look = 0; ; look += 1) {
    const isOver = parked.isOver();
    const found = await findOf(context, reader, snapshot);
    const hasNews = isOver || found.isForeign || found.found.length > 0;
    const mayDiffer = look > 0 && (parked.takeAccessNews() || hasNews);
    const now = mayDiffer ? await authenticateAgain() : caller;
    if (accessDigest(now) !== after.access)
      return await respondWith(
        context,
        { caller: now, scope },
        look === 0 ? resetAt(found) : await accessNews(context, { reader, now, found }),
      );
    if (hasNews) return await respondWith(context, { caller: now, scope }, newsOf(found));
    snapshot = found.snapshot;
    await parked.next();
  }
}

interface Reader {
  readonly caller: ProductPrincipal;
  readonly scope: QueueScope;
}

interface News {
  readonly snapshot: string;
  /** Ids of pending requests. */
  readonly changed?: readonly string[];
  readonly gone?: readonly string[];
  readonly isReset?: boolean;
}

async function findOf(
  { db }: WaitingContext,
  { caller, scope }: Reader,
  after: string,
): Promise<FoundChanges> {
  const reader = readerOf(caller, scope);
  return await findChanges(db, caller.organizationId, { reader, after, limit: MOST_CHANGES + 1 });
}

const resetAt = ({ snapshot }: FoundChanges): News => ({ snapshot, isReset: true });

function newsOf(changes: FoundChanges): News {
  const { found, snapshot, isForeign } = changes;
  if (isForeign || found.length > MOST_CHANGES) return resetAt(changes);
  const ids = (isPending: boolean) =>
    found.filter(({ state }) => (state === 'pending') === isPending).map(({ id }) => id);
  return { snapshot, changed: ids(true), gone: ids(false) };
}

/** The caller's access has changed during the wait: what they see now, and what they no longer see. */
async function accessNews(
  { db }: WaitingContext,
  {
    reader,
    now,
    found,
  }: { readonly reader: Reader; readonly now: ProductPrincipal; readonly found: FoundChanges },
): Promise<News> {
  const limit = MOST_CHANGES + 1;
  const pendingOf = async (caller: ProductPrincipal) =>
    await listPendingIds(db, caller.organizationId, {
      reader: readerOf(caller, reader.scope),
      limit,
    });
  const [before, changed] = await Promise.all([pendingOf(reader.caller), pendingOf(now)]);
  if (before.length === limit || changed.length === limit) return resetAt(found);
  const seen = new Set(changed);
  const gone = new Set([...before.filter((id) => !seen.has(id)), ...(newsOf(found).gone ?? [])]);
  return { snapshot: found.snapshot, changed, gone: [...gone] };
}

async function respondWith(
  context: WaitingContext,
  { caller }: Reader,
  { snapshot, changed = [], gone = [], isReset = false }: News,
): Promise<QueueChanges> {
  const { organizationId } = caller;
  const access = listAccess(caller);
  const { membershipId } = access;
  const [entries, counts] = await Promise.all([
    findSummaries(context.db, organizationId, { ids: changed, membershipId }),
    countQueue(context.db, organizationId, { access, atMost: MOST_COUNTED_REQUESTS }),
  ]);
  const isPending = ({ facts: { state } }: SummaryEntry) => state === 'pending';
  // Decided since the look, which the next one would find as well.
  const ended = entries.filter((entry) => !isPending(entry)).map(({ facts: { id } }) => id);
  return {
    changed: await summariesOf(context, caller, entries.filter(isPending)),
    gone: [...gone, ...ended],
    isReset,
    counts,
    cursor: { snapshot: withinBounds(snapshot), access: accessDigest(caller) },
  };
}

/** Longer than this, a snapshot names hundreds of transactions that were in progress. */
const LONGEST_SNAPSHOT = 2_000;

/** A long snapshot as one that has seen less: some changes are then returned twice. */
function withinBounds(snapshot: string): string {
  if (snapshot.length <= LONGEST_SNAPSHOT) return snapshot;
  const [oldest = ''] = snapshot.split(':');
  return `${oldest}:${oldest}:`;
}
