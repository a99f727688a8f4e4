/**
 * Workflows of requests that the database does not know: it was restored from a backup that is older than they are. Such a
 * workflow would sleep until its next step, days later. So it is told to look again, and ends when it finds no row.
 */
import { validate as isUuid } from 'uuid';
import { unknownRequests } from '../../data/requests/read.ts';
import type { ServiceContext } from '../context.ts';

/** After each connection to Temporal. Never rejects: what it does not reach ends at its own next step. */
export async function endForgotten({
  db,
  workflows,
  logger,
  stopping,
}: ServiceContext): Promise<void> {
  let told = 0;
  try {
    for await (const ids of workflows.running()) {
      for (const id of await unknownRequests(
        db,
        ids.filter((each) => isUuid(each)),
      )) {
        stopping.throwIfAborted();
        if (await workflows.signal(id, 'changed')) told += 1;
      }
    }
  } catch (error) {
    if (!stopping.aborted)
      logger.warn({ err: error }, 'could not look for workflows of requests that are gone');
  }
  if (told > 0)
    logger.warn(
      { workflows: told },
      'workflows of requests that the database does not know were told to end; it is older than Temporal',
    );
}
