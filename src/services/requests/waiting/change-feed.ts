/**
 * Carries changes between processes: one NOTIFY statement per process and 10 ms, sent outside
 * transactions (inside one it would serialize all commits), and a separate LISTEN connection. A
 * reread of all waited-for ids every second, and at every reconnect, finds what got lost.
 */
import { randomUUID } from 'node:crypto';
import { findChangedIds, findFinalIds } from '../../../data/requests/read.ts';
import { findEndedCredentials } from '../../../data/sign-in/ended-credentials.ts';
import { listenForChanges, notifyChanges, type ChangeConnection } from '../../../data/changes.ts';
import type { WaitingContext } from '../../context.ts';
import { startRounds } from '../../rounds.ts';

const BATCH_MS = 10;
const REREAD_MS = 1_000;
/** After a change, before queues are looked at: many changes at once are one look. */
const LOOK_MS = 100;
const RECONNECT_MS = 500;
/** A payload holds at most 8,000 bytes; an id takes 37. */
const IDS_PER_NOTICE = 200;

export interface ChangeFeed {
  stop(): Promise<void>;
}

export function startChangeFeed(context: WaitingContext, databaseUrl: string): ChangeFeed {
  const self = randomUUID();
  const state = {
    stopped: false,
    listener: undefined as ChangeConnection | undefined,
    sending: undefined as NodeJS.Timeout | undefined,
  };

  const reread = () => rereadWaits(context);
  const send = async () => {
    state.sending = undefined;
    const ids = context.changes.takeOutgoing();
    for (let start = 0; start < ids.length; start += IDS_PER_NOTICE) {
      const payload = [self, ...ids.slice(start, start + IDS_PER_NOTICE)].join(' ');
      await notifyChanges(context.db, payload);
    }
  };
  const quietly = (work: () => Promise<void>, what: string) => () => {
    work().catch((error: unknown) => {
      if (!state.stopped) context.logger.warn({ err: error, what }, 'change feed');
    });
  };
  const listenOnce = () =>
    listenForChanges(databaseUrl, {
      opened: (listener) => (state.listener = listener),
      subscribed: reread,
      changed: (payload) => {
        const [from, ...ids] = payload.split(' ');
        if (from !== self) for (const id of ids) context.changes.deliver(id);
      },
    });
  const listening = (async () => {
    while (!state.stopped) {
      await listenOnce().catch((error: unknown) => {
        if (!state.stopped)
          context.logger.warn({ err: error }, 'the change listener lost the database');
      });
      if (!state.stopped) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  })();
  context.changes.sendOutgoingWith(() => {
    state.sending ??= setTimeout(quietly(send, 'notify'), BATCH_MS);
  });
  const stopLooking = lookAfterChanges(context, quietly);
  const rereading = startRounds(context, {
    what: 'reread of waits',
    everyMs: REREAD_MS,
    work: () => Promise.all([reread(), context.queueWatch.look(context), endWaits(context)]),
  });

  return {
    stop: async () => {
      state.stopped = true;
      clearTimeout(state.sending);
      stopLooking();
      await rereading.stop();
      await state.listener?.end().catch(() => undefined);
      await listening;
    },
  };
}

type Quietly = (work: () => Promise<void>, what: string) => () => void;

/** One look at the watched queues soon after a change, for all changes until then. Returns how to stop. */
function lookAfterChanges(context: WaitingContext, quietly: Quietly): () => void {
  const { changes, queueWatch } = context;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    timer = undefined;
    await queueWatch.look(context);
  };
  changes.hearWith(() => {
    if (!queueWatch.isEmpty()) timer ??= setTimeout(quietly(look, 'look'), LOOK_MS);
  });
  return () => {
    clearTimeout(timer);
  };
}

async function rereadWaits({ db, changes }: WaitingContext): Promise<void> {
  const [final, changed] = await Promise.all([
    findFinalIds(db, changes.waitedFor()),
    findChangedIds(db, changes.waitedForAnyChange()),
  ]);
  for (const id of new Set([...final, ...changed])) changes.deliver(id);
}

/** Calls held open for a credential that has ended end now. */
async function endWaits({ db, heldCredentials }: WaitingContext): Promise<void> {
  for (const id of await findEndedCredentials(db, heldCredentials.ids())) heldCredentials.end(id);
}
