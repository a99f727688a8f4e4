/** How long work holds the event loop. */
import { existsSync, readFileSync } from 'node:fs';

/** What this thread has worked, in ms. Unlike elapsed time it does not depend on the other work of the machine. */
function worked(): number {
  const counted = '/proc/thread-self/schedstat';
  const cpu = existsSync(counted) ? Number(readFileSync(counted, 'utf8').split(' ')[0]) : 0;
  return cpu > 0 ? cpu / 1e6 : performance.now();
}

/** The most that this thread did between two turns of the event loop while `work` ran. */
export async function heldBy(work: () => Promise<unknown>): Promise<number> {
  let [before, most] = [worked(), 0];
  const look = () => {
    const now = worked();
    most = Math.max(most, now - before);
    before = now;
  };
  const timer = setInterval(look, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return most;
}
