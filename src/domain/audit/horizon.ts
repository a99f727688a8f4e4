/**
 * Up to which sequence all events are sealed for certain, so that the sealer need not look there again. Sequences are drawn
 * before a commit, so a transaction that takes long adds an event below others that are sealed already.
 */

/** What the sealers have found out. All but `sealedTo` is about transactions, not about sealing. */
export interface Horizon {
  /** Everything at or below it is sealed. */
  readonly sealedTo: number;
  /** No transaction can add an event at or below it. */
  readonly settledTo: number;
  /** The next value of `settledTo`, which had been drawn at `at`. */
  readonly pending: PendingHorizon | undefined;
}

export interface PendingHorizon {
  readonly to: number;
  readonly at: Date;
  /** Transactions with an id below this one may still add an event at or below `to`. */
  readonly xmax: string | undefined;
}

/** What one statement saw, in one snapshot. */
export interface Look {
  readonly now: Date;
  /** The greatest sequence of all events. */
  readonly greatest: number;
  /** The least sequence of an event that is not sealed. */
  readonly firstUnsealed: number | undefined;
  /** The id that the next transaction gets. */
  readonly xmax: string;
  /** All transactions below `pending.xmax` have ended. */
  readonly hasEnded: boolean;
  /** Ids of transactions began again below `pending.xmax`: the database was restored into another server. */
  readonly isRestored: boolean;
}

/**
 * A transaction draws the sequence, and gets its id a moment later. Only a process that is stopped for this long in between
 * is not counted.
 */
const DRAWN_MS = 5_000;

/** What to record; undefined when it is what is recorded already. */
export function nextHorizon(horizon: Horizon, look: Look): Horizon | undefined {
  const sealedTo =
    look.firstUnsealed === undefined
      ? horizon.settledTo
      : Math.min(horizon.settledTo, look.firstUnsealed - 1);
  const next = { ...nextSettled(horizon, look), sealedTo: Math.max(horizon.sealedTo, sealedTo) };
  return next.sealedTo === horizon.sealedTo && next.pending === horizon.pending ? undefined : next;
}

function nextSettled(horizon: Horizon, look: Look): Horizon {
  const { pending } = horizon;
  if (pending === undefined || look.isRestored)
    return look.greatest > horizon.settledTo
      ? { ...horizon, pending: { to: look.greatest, at: look.now, xmax: undefined } }
      : horizon;
  if (pending.xmax === undefined)
    return look.now.getTime() - pending.at.getTime() < DRAWN_MS
      ? horizon
      : { ...horizon, pending: { ...pending, xmax: look.xmax } };
  return look.hasEnded ? { ...horizon, settledTo: pending.to, pending: undefined } : horizon;
}
