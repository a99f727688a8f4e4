/** Messages that are over are not kept for ever: once a minute some of the oldest are taken away. */
import { setTimeout as delay } from 'node:timers/promises';
import { deleteFinished } from '../../data/notifications/notification-deliveries.ts';
import type { ServiceContext } from '../context.ts';

const EVERY_MS = 60_000;
/** Small enough to be in nobody's way, together more than can be sent in the meantime. */
const BATCH = 500;
const BATCHES = 50;

/** Until `stopping` is aborted; never rejects. */
export async function purgeWhileRunning(
  context: ServiceContext,
  stopping: AbortSignal,
): Promise<void> {
  while (await delay(EVERY_MS, true, { signal: stopping }).catch(() => false)) {
    await purgeBatch(context, stopping).catch((error: unknown) => {
      context.logger.warn(
        { err: error },
        'messages that are over could not be taken away; the next round will',
      );
    });
  }
}

/** Exported for tests: one round. */
export async function purgeBatch({ db }: ServiceContext, stopping: AbortSignal): Promise<void> {
  for (let batch = 0; batch < BATCHES && !stopping.aborted; batch += 1) {
    if ((await deleteFinished(db, BATCH)) < BATCH) return;
  }
}
